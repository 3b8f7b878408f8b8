package tidemark.statemachine.machine;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.format.StoredBatch;
import tidemark.statemachine.manifest.GroupState.StreamState;
import tidemark.statemachine.model.StreamId;
import tidemark.statemachine.read.StreamSnapshot;
import tidemark.statemachine.segment.Segment;
import tidemark.statemachine.segment.SegmentList;
import tidemark.statemachine.segment.SegmentWriter;
import tidemark.statemachine.segment.StreamFiles;

/**
 * A stream as the applier has it, and the newest snapshot of it for readers. All but {@link #published} is the applier's.
 *
 * <p>Invariants: offsets are dense from the start to the end; the segments hold exactly those, and maybe some before the start.
 */
final class LiveStream {
    private final StreamId id;
    private long startOffset;
    private long endOffset;
    private long lastTimestampMs;
    private boolean sealed;
    private SegmentList segments;
    private final WriterTable writers;
    private volatile @Nullable StreamSnapshot published;

    private LiveStream(StreamId id, SegmentList segments, WriterTable writers) {
        this.id = id;
        this.segments = segments;
        this.writers = writers;
    }

    /** A stream without records. Not published yet. */
    static LiveStream empty(StreamFiles files) {
        return new LiveStream(files.stream(), SegmentList.of(files, List.of()), new WriterTable());
    }

    /** A stream as a manifest has it. Published. */
    static LiveStream of(StreamFiles files, StreamState state) {
        LiveStream stream = new LiveStream(
                state.id(), SegmentList.of(files, state.segments()), WriterTable.fromProto(state.writers()));
        stream.startOffset = state.startOffset();
        stream.endOffset = state.endOffset();
        stream.lastTimestampMs = state.lastTimestampMs();
        stream.sealed = state.sealed();
        stream.publish();
        return stream;
    }

    StreamState state() {
        return new StreamState(id, startOffset, endOffset, lastTimestampMs, sealed, segments.all(), writers.toProto());
    }

    /** What readers see; empty before the first entry about this stream is applied. Any thread. */
    Optional<StreamSnapshot> published() {
        return Optional.ofNullable(published);
    }

    /** Shows readers the stream as it is now; everything is in files. */
    void publish() {
        published = new StreamSnapshot(id, startOffset, endOffset, lastTimestampMs, sealed, segments);
    }

    StreamId id() {
        return id;
    }

    long startOffset() {
        return startOffset;
    }

    long endOffset() {
        return endOffset;
    }

    long lastTimestampMs() {
        return lastTimestampMs;
    }

    boolean sealed() {
        return sealed;
    }

    WriterTable writers() {
        return writers;
    }

    /** @param batch begins at the end, and is not older than the last one */
    void append(SegmentWriter writer, StoredBatch batch) throws StorageException {
        if (batch.baseOffset() != endOffset || batch.timestampMs() < lastTimestampMs) {
            throw new IllegalArgumentException("batch does not follow offset " + endOffset + ": " + batch);
        }
        segments = writer.append(segments, batch);
        endOffset = batch.endOffset();
        lastTimestampMs = batch.timestampMs();
    }

    /**
     * Raises the start.
     *
     * @return segments that no longer belong to the stream
     */
    List<Segment> truncate(long newStart) {
        if (newStart < startOffset || newStart > endOffset) {
            throw new IllegalArgumentException(
                    "new start " + newStart + " is not between " + startOffset + " and " + endOffset);
        }
        List<Segment> dropped = segments.before(newStart);
        startOffset = newStart;
        if (!dropped.isEmpty()) {
            segments = segments.from(newStart);
        }
        return dropped;
    }

    void seal() {
        sealed = true;
    }

    StreamFiles files() {
        return segments.files();
    }

    /** Whether the segment that begins with this offset belongs to the stream. */
    boolean hasSegment(long baseOffset) {
        return segments.find(baseOffset)
                .filter(segment -> segment.baseOffset() == baseOffset)
                .isPresent();
    }
}
