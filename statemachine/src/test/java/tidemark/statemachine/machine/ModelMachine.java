package tidemark.statemachine.machine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import tidemark.engine.proto.Append;
import tidemark.engine.proto.Command;
import tidemark.engine.proto.Entry;
import tidemark.engine.proto.Truncate;
import tidemark.statemachine.format.Batch;
import tidemark.statemachine.format.Ids;
import tidemark.statemachine.format.StoredBatch;
import tidemark.statemachine.model.LogPosition;
import tidemark.statemachine.model.Outcome;
import tidemark.statemachine.model.StreamId;

/** What a group machine should do, in the dumbest way: lists in memory. Knows nothing of segments, so not what truncation frees. */
final class ModelMachine {
    static final class Stream {
        final List<StoredBatch> batches = new ArrayList<>();
        final Map<String, Outcome> answers = new HashMap<>();
        final Map<String, Long> nextSequences = new HashMap<>();
        long start;
        long end;
        long lastTimestampMs;
        boolean sealed;

        /** The batches that hold readable records. */
        List<StoredBatch> readable() {
            return batches.stream().filter(batch -> batch.endOffset() > start).toList();
        }
    }

    final TreeMap<StreamId, Stream> streams = new TreeMap<>();

    Stream stream(StreamId id) {
        return Objects.requireNonNull(streams.get(id));
    }

    List<Outcome> apply(LogPosition at, Entry entry) {
        List<Outcome> outcomes = new ArrayList<>();
        for (Command command : entry.getCommandsList()) {
            outcomes.add(apply(at, entry.getTimestampMs(), command));
        }
        return outcomes;
    }

    private Outcome apply(LogPosition at, long timestampMs, Command command) {
        if (command.hasBarrier()) {
            return new Outcome.Done();
        }
        StreamId id = new StreamId(Ids.of(command.getStreamId().asReadOnlyByteBuffer()));
        if (command.hasOpen()) {
            streams.putIfAbsent(id, new Stream());
            return new Outcome.Done();
        }
        Stream stream = streams.get(id);
        if (stream == null) {
            return new Outcome.UnknownStream();
        }
        if (command.hasSeal()) {
            stream.sealed = true;
            return new Outcome.Sealed(stream.end);
        }
        return command.hasAppend()
                ? append(at, timestampMs, stream, command.getAppend())
                : truncate(stream, command.getTruncate());
    }

    private static Outcome append(LogPosition at, long timestampMs, Stream stream, Append append) {
        boolean idempotent = !append.getWriterId().isEmpty();
        String writer =
                idempotent ? Ids.of(append.getWriterId().asReadOnlyByteBuffer()).toString() : "";
        String key = writer + " " + append.getSequence();
        if (idempotent && stream.answers.get(key) instanceof Outcome.Appended before) {
            return new Outcome.Appended(
                    before.baseOffset(), before.endOffset(), before.timestampMs(), before.term(), true);
        }
        if (stream.sealed) {
            return new Outcome.StreamSealed(stream.end);
        }
        if (idempotent) {
            long next = stream.nextSequences.getOrDefault(writer, 0L);
            if (append.getSequence() != next) {
                return next == 0
                        ? new Outcome.UnknownWriter(append.getSequence())
                        : new Outcome.OutOfSequence(append.getSequence(), next);
            }
        }
        if (append.hasExpectedEnd() && append.getExpectedEnd() != stream.end) {
            return new Outcome.EndConflict(append.getExpectedEnd(), stream.end, stream.lastTimestampMs);
        }
        Batch batch = new Batch(
                append.getRecordCount(),
                append.getCompression(),
                append.getUncompressedBytes(),
                append.getCrc32C(),
                append.getBody().asReadOnlyByteBuffer());
        stream.lastTimestampMs = Math.max(stream.lastTimestampMs, timestampMs);
        StoredBatch stored = new StoredBatch(stream.end, stream.lastTimestampMs, at.term(), at.index(), batch);
        stream.batches.add(stored);
        stream.end = stored.endOffset();
        Outcome.Appended answer =
                new Outcome.Appended(stored.baseOffset(), stored.endOffset(), stored.timestampMs(), at.term(), false);
        if (idempotent) {
            stream.answers.put(key, answer);
            stream.nextSequences.merge(writer, 1L, Long::sum);
        }
        return answer;
    }

    private static Outcome truncate(Stream stream, Truncate truncate) {
        if (truncate.hasExpectedStart() && truncate.getExpectedStart() != stream.start) {
            return new Outcome.StartConflict(truncate.getExpectedStart(), stream.start, stream.end);
        }
        if (truncate.getBeforeOffset() > stream.end) {
            return new Outcome.BeyondEnd(truncate.getBeforeOffset(), stream.start, stream.end);
        }
        long before = stream.start;
        stream.start = Math.max(before, truncate.getBeforeOffset());
        return new Outcome.Truncated(before, stream.start, 0);
    }
}
