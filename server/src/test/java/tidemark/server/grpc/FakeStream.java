package tidemark.server.grpc;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import tidemark.engine.proto.Append;
import tidemark.engine.proto.Command;
import tidemark.engine.proto.Truncate;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.format.Batch;
import tidemark.statemachine.format.StoredBatch;
import tidemark.statemachine.machine.StreamView;
import tidemark.statemachine.model.Outcome;
import tidemark.statemachine.model.StreamId;

/** The state of a stream as a value: what the engine does, without files. */
record FakeStream(StreamId id, long start, long end, boolean sealed, long lastTimestampMs, List<StoredBatch> batches)
        implements StreamView {
    static FakeStream empty(StreamId id) {
        return new FakeStream(id, 0, 0, false, 0, List.of());
    }

    /** The stream after a command, and what the command did. */
    record Applied(FakeStream stream, Outcome outcome) {}

    Applied apply(Command command, long timestampMs, long term) {
        return switch (command.getKindCase()) {
            case APPEND -> append(command.getAppend(), timestampMs, term);
            case TRUNCATE -> truncate(command.getTruncate());
            case SEAL ->
                new Applied(new FakeStream(id, start, end, true, lastTimestampMs, batches), new Outcome.Sealed(end));
            case OPEN, BARRIER, KIND_NOT_SET -> new Applied(this, new Outcome.Done());
        };
    }

    private Applied append(Append append, long timestampMs, long term) {
        if (sealed) {
            return new Applied(this, new Outcome.StreamSealed(end));
        }
        if (append.hasExpectedEnd() && append.getExpectedEnd() != end) {
            return new Applied(this, new Outcome.EndConflict(append.getExpectedEnd(), end, lastTimestampMs));
        }
        if (!append.getWriterId().isEmpty() && append.getSequence() > 1_000) {
            return new Applied(this, new Outcome.OutOfSequence(append.getSequence(), 0));
        }
        ByteBuffer body = append.getBody().asReadOnlyByteBuffer();
        Batch batch = new Batch(
                append.getRecordCount(),
                append.getCompression(),
                append.getUncompressedBytes(),
                append.getCrc32C(),
                body);
        long newEnd = end + batch.recordCount();
        long timestamp = Math.max(timestampMs, lastTimestampMs);
        List<StoredBatch> grown = new java.util.ArrayList<>(batches);
        grown.add(new StoredBatch(end, timestamp, term, grown.size(), batch));
        return new Applied(
                new FakeStream(id, start, newEnd, false, timestamp, List.copyOf(grown)),
                new Outcome.Appended(end, newEnd, timestamp, term, false));
    }

    private Applied truncate(Truncate truncate) {
        if (truncate.hasExpectedStart() && truncate.getExpectedStart() != start) {
            return new Applied(this, new Outcome.StartConflict(truncate.getExpectedStart(), start, end));
        }
        long before = truncate.getBeforeOffset();
        if (before > end) {
            return new Applied(this, new Outcome.BeyondEnd(before, start, end));
        }
        long newStart = Math.max(start, before);
        long freed = bytesFreedBefore(newStart);
        List<StoredBatch> kept =
                batches.stream().filter(batch -> batch.endOffset() > newStart).toList();
        return new Applied(
                new FakeStream(id, newStart, end, sealed, lastTimestampMs, kept),
                new Outcome.Truncated(start, newStart, freed));
    }

    Optional<StoredBatch> at(long offset) {
        return batches.stream()
                .filter(batch -> batch.baseOffset() <= offset && offset < batch.endOffset())
                .findFirst();
    }

    @Override
    public long startOffset() {
        return start;
    }

    @Override
    public long endOffset() {
        return end;
    }

    @Override
    public long storedBytes() {
        return batches.stream()
                .mapToLong(batch -> batch.batch().body().remaining())
                .sum();
    }

    @Override
    public long bytesFreedBefore(long offset) {
        return batches.stream()
                .filter(batch -> batch.endOffset() <= offset)
                .mapToLong(batch -> batch.batch().body().remaining())
                .sum();
    }

    @Override
    public long offsetAtTime(long timestampMs) throws StorageException {
        return batches.stream()
                .filter(batch -> batch.timestampMs() >= timestampMs && batch.endOffset() > start)
                .mapToLong(batch -> Math.max(start, batch.baseOffset()))
                .findFirst()
                .orElse(end);
    }
}
