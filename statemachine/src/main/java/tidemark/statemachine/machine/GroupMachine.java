package tidemark.statemachine.machine;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import tidemark.statemachine.env.FileSystem;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.env.StorageFile;
import tidemark.statemachine.model.LogPosition;
import tidemark.statemachine.model.Outcome;
import tidemark.statemachine.model.StreamId;
import tidemark.statemachine.read.ReadCursor;
import tidemark.statemachine.segment.EngineLimits;
import tidemark.statemachine.segment.Layout;
import tidemark.statemachine.segment.SegmentFiles;

/** The machine of a group of streams. Entries are {@code tidemark.engine.Entry} messages. */
public final class GroupMachine implements Machine {
    private GroupMachine() {}

    /**
     * Stands where the group's newest manifest says; at the beginning if there is none. Reads no segment.
     *
     * @param manifestFiles where the manifests are
     * @param segments shared by all groups of the server
     */
    public static GroupMachine open(FileSystem manifestFiles, SegmentFiles segments, Layout layout)
            throws StorageException {
        throw new UnsupportedOperationException();
    }

    /** As {@link #open(FileSystem, SegmentFiles, Layout)}, with file handles of its own: for tools and tests with one group. */
    public static GroupMachine open(FileSystem files, Layout layout, EngineLimits limits) throws StorageException {
        throw new UnsupportedOperationException();
    }

    /** A stream's readable state now; empty if the group does not host it, or the machine is closed. Any thread. */
    public Optional<StreamView> stream(StreamId id) {
        throw new UnsupportedOperationException();
    }

    /** The streams hosted now. Any thread. */
    public SortedSet<StreamId> streams() {
        throw new UnsupportedOperationException();
    }

    /** A reader, placed at an offset. Any thread may ask; of a stream that is not hosted it says so as {@code Unavailable}. */
    public ReadCursor cursor(StreamId id, long offset) {
        throw new UnsupportedOperationException();
    }

    /** The newest durable manifest, as bytes of its file: what another replica is given. Any thread; reads the disk. */
    public Optional<byte[]> newestManifest() throws StorageException {
        throw new UnsupportedOperationException();
    }

    /**
     * A segment file, open for reading, to be closed by the caller: it stays readable when it is deleted meanwhile. Empty if it is gone
     * already: then a newer manifest does not name it. Any thread.
     */
    public Optional<StorageFile> openSegment(StreamId stream, long baseOffset) throws StorageException {
        throw new UnsupportedOperationException();
    }

    @Override
    public LogPosition applied() {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<Outcome> apply(LogPosition at, ByteBuffer entry) throws StorageException {
        throw new UnsupportedOperationException();
    }

    @Override
    public void advance(LogPosition at) throws StorageException {
        throw new UnsupportedOperationException();
    }

    @Override
    public long bytesSinceCheckpoint() {
        throw new UnsupportedOperationException();
    }

    @Override
    public long reclaimableBytes() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void sync() throws StorageException {
        throw new UnsupportedOperationException();
    }

    @Override
    public LogPosition checkpoint() throws StorageException {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<LogPosition> lastCheckpoint() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() throws StorageException {
        throw new UnsupportedOperationException();
    }
}
