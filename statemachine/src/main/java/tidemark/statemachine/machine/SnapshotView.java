package tidemark.statemachine.machine;

import java.util.Optional;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.model.StreamId;
import tidemark.statemachine.read.SnapshotSource;
import tidemark.statemachine.read.StreamSnapshot;
import tidemark.statemachine.read.TimeSearch;
import tidemark.statemachine.segment.SegmentList;

/** The view of a stream that {@link GroupMachine} gives. */
record SnapshotView(StreamSnapshot snapshot, SnapshotSource source) implements StreamView {
    @Override
    public StreamId id() {
        return snapshot.id();
    }

    @Override
    public long startOffset() {
        return snapshot.startOffset();
    }

    @Override
    public long endOffset() {
        return snapshot.endOffset();
    }

    @Override
    public long lastTimestampMs() {
        return snapshot.lastTimestampMs();
    }

    @Override
    public boolean sealed() {
        return snapshot.sealed();
    }

    @Override
    public long storedBytes() {
        return snapshot.segments().bytes();
    }

    @Override
    public long bytesFreedBefore(long offset) {
        return SegmentList.bytes(snapshot.segments().before(Math.min(offset, snapshot.endOffset())));
    }

    @Override
    public long offsetAtTime(long timestampMs) throws StorageException {
        try {
            return TimeSearch.firstAtOrAfter(snapshot, timestampMs);
        } catch (StorageException failure) {
            // Truncated since: then a file may be gone, and the newest snapshot does not need it.
            Optional<StreamSnapshot> newest = source.newest();
            if (newest.isEmpty() || newest.get().startOffset() == snapshot.startOffset()) {
                throw failure;
            }
            return TimeSearch.firstAtOrAfter(newest.get(), timestampMs);
        }
    }
}
