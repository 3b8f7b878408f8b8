package tidemark.statemachine.machine;

import com.google.protobuf.ByteString;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import tidemark.engine.proto.Append;
import tidemark.engine.proto.Command;
import tidemark.engine.proto.Truncate;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.format.Batch;
import tidemark.statemachine.format.Ids;
import tidemark.statemachine.format.StoredBatch;
import tidemark.statemachine.model.LogPosition;
import tidemark.statemachine.model.Outcome;
import tidemark.statemachine.model.StreamId;
import tidemark.statemachine.segment.Layout;
import tidemark.statemachine.segment.Segment;
import tidemark.statemachine.segment.SegmentFiles;
import tidemark.statemachine.segment.SegmentList;
import tidemark.statemachine.segment.SegmentWriter;
import tidemark.statemachine.segment.StreamFiles;

/**
 * Decides what each command does, and does it. A function of the state and the entry only: no clock, no chance, nothing of this server.
 * The applier's thread.
 */
final class EntryApplier {
    /** Most streams of one group. */
    static final int STREAMS_MAX = 10_000;

    private final SegmentFiles files;
    private final Layout layout;
    private final SegmentWriter writer;
    private final Garbage garbage;
    private final SortedMap<StreamId, LiveStream> streams;
    private final Set<LiveStream> changed = new LinkedHashSet<>();

    EntryApplier(
            SegmentFiles files,
            Layout layout,
            SegmentWriter writer,
            Garbage garbage,
            SortedMap<StreamId, LiveStream> streams) {
        this.files = files;
        this.layout = layout;
        this.writer = writer;
        this.garbage = garbage;
        this.streams = streams;
    }

    /** Shows readers what was applied since the last call; all of it is flushed. */
    void publish() {
        changed.forEach(LiveStream::publish);
        changed.clear();
    }

    Outcome apply(LogPosition at, long timestampMs, Command command) throws StorageException {
        return switch (command.getKindCase()) {
            case BARRIER -> new Outcome.Done();
            case OPEN -> open(command.getStreamId());
            case APPEND, TRUNCATE, SEAL -> applyToStream(at, timestampMs, command);
            case KIND_NOT_SET ->
                throw new StorageException("a command of an unknown kind; was it written by a newer version?");
        };
    }

    private Outcome open(ByteString id) {
        if (id.size() != Ids.BYTES) {
            return badId(id);
        }
        StreamId stream = id(id);
        if (streams.containsKey(stream)) {
            return new Outcome.Done();
        }
        if (streams.size() >= STREAMS_MAX) {
            return new Outcome.Invalid("the group has " + STREAMS_MAX + " streams, and cannot have more");
        }
        LiveStream opened = LiveStream.empty(new StreamFiles(files, layout, stream));
        streams.put(stream, opened);
        changed.add(opened);
        return new Outcome.Done();
    }

    private Outcome applyToStream(LogPosition at, long timestampMs, Command command) throws StorageException {
        ByteString id = command.getStreamId();
        if (id.size() != Ids.BYTES) {
            return badId(id);
        }
        LiveStream stream = streams.get(id(id));
        if (stream == null) {
            return new Outcome.UnknownStream();
        }
        return switch (command.getKindCase()) {
            case APPEND -> append(at, timestampMs, stream, command.getAppend());
            case TRUNCATE -> truncate(stream, command.getTruncate());
            case SEAL -> seal(stream);
            case OPEN, BARRIER, KIND_NOT_SET -> throw new IllegalArgumentException("not of a stream: " + command);
        };
    }

    private Outcome append(LogPosition at, long timestampMs, LiveStream stream, Append append) throws StorageException {
        Outcome refused = refusal(stream, append);
        if (refused != null) {
            return refused;
        }
        Batch batch = new Batch(
                append.getRecordCount(),
                append.getCompression(),
                append.getUncompressedBytes(),
                append.getCrc32C(),
                append.getBody().asReadOnlyByteBuffer());
        long timestamp = Math.max(timestampMs, stream.lastTimestampMs());
        StoredBatch stored = new StoredBatch(stream.endOffset(), timestamp, at.term(), at.index(), batch);
        stream.append(writer, stored);
        changed.add(stream);
        Outcome.Appended appended =
                new Outcome.Appended(stored.baseOffset(), stored.endOffset(), timestamp, at.term(), false);
        if (!append.getWriterId().isEmpty()) {
            stream.writers().record(append.getWriterId(), appended);
        }
        return appended;
    }

    /**
     * The outcome of an append that is not to be applied. A repeat is answered as the first time, whatever has become of the stream
     * since.
     */
    private static @Nullable Outcome refusal(LiveStream stream, Append append) {
        Optional<String> problem = problem(append);
        if (problem.isPresent()) {
            return new Outcome.Invalid(problem.get());
        }
        Optional<Outcome> repeat = append.getWriterId().isEmpty()
                ? Optional.empty()
                : stream.writers().check(append.getWriterId(), append.getSequence());
        if (repeat.isPresent() && wasApplied(repeat.get())) {
            return repeat.get();
        }
        if (stream.sealed()) {
            return new Outcome.StreamSealed(stream.endOffset());
        }
        if (repeat.isPresent()) {
            return repeat.get();
        }
        if (append.hasExpectedEnd() && append.getExpectedEnd() != stream.endOffset()) {
            return new Outcome.EndConflict(append.getExpectedEnd(), stream.endOffset(), stream.lastTimestampMs());
        }
        return null;
    }

    /** A repeat too old to remember was written too: calling it sealed would tell its writer that it was not. */
    private static boolean wasApplied(Outcome repeat) {
        return repeat instanceof Outcome.Appended || repeat instanceof Outcome.SequenceExpired;
    }

    private static Optional<String> problem(Append append) {
        int writerBytes = append.getWriterId().size();
        if (writerBytes != 0 && writerBytes != WriterTable.WRITER_ID_BYTES) {
            return Optional.of("writer id of " + writerBytes + " bytes; must be none or 16");
        }
        return Batch.problem(
                append.getRecordCount(),
                append.getCompression(),
                append.getUncompressedBytes(),
                append.getBody().size());
    }

    private Outcome truncate(LiveStream stream, Truncate truncate) throws StorageException {
        long start = stream.startOffset();
        long before = truncate.getBeforeOffset();
        if (truncate.hasExpectedStart() && truncate.getExpectedStart() != start) {
            return new Outcome.StartConflict(truncate.getExpectedStart(), start, stream.endOffset());
        }
        if (before > stream.endOffset()) {
            return new Outcome.BeyondEnd(before, start, stream.endOffset());
        }
        if (before <= start) {
            return new Outcome.Truncated(start, start, 0);
        }
        List<Segment> dropped = stream.truncate(before);
        for (Segment segment : dropped) {
            writer.drop(stream.files(), segment);
            garbage.add(stream.id(), segment.baseOffset(), segment.length());
        }
        changed.add(stream);
        return new Outcome.Truncated(start, before, SegmentList.bytes(dropped));
    }

    private Outcome seal(LiveStream stream) {
        stream.seal();
        changed.add(stream);
        return new Outcome.Sealed(stream.endOffset());
    }

    private static Outcome badId(ByteString id) {
        return new Outcome.Invalid("stream id of " + id.size() + " bytes; must be 16");
    }

    private static StreamId id(ByteString id) {
        return new StreamId(Ids.of(id.asReadOnlyByteBuffer()));
    }
}
