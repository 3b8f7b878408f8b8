package tidemark.statemachine.machine;

import java.io.Closeable;
import java.nio.ByteBuffer;
import java.util.List;
import tidemark.statemachine.env.FileSystem;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.model.LogPosition;
import tidemark.statemachine.model.StreamId;
import tidemark.statemachine.segment.Layout;
import tidemark.statemachine.segment.SegmentFiles;

/**
 * Brings a group's files to another replica's checkpoint. Everything up to {@link #commit} may go on beside the group's open machine;
 * for the commit that must be closed, and is opened again afterwards.
 */
public final class SnapshotInstall {
    private SnapshotInstall() {}

    /** The manifest is older than this replica's own. */
    public static final class Stale extends StorageException {
        private static final long serialVersionUID = 1L;

        Stale(String message) {
            super(message);
        }
    }

    /** Bytes of a segment file that are to be fetched: from inclusive, to exclusive. */
    public record MissingSegment(StreamId stream, long baseOffset, long fromByte, long toByte) {}

    /**
     * Compares another replica's manifest with what is on disk. What an earlier attempt fetched is used.
     *
     * @param manifest bytes of the manifest file
     * @throws Stale if this replica's own durable manifest is newer
     */
    public static SnapshotInstall begin(FileSystem manifestFiles, SegmentFiles segments, Layout layout, byte[] manifest)
            throws StorageException {
        throw new UnsupportedOperationException();
    }

    /** Where the machine will stand after the commit. */
    public LogPosition position() {
        throw new UnsupportedOperationException();
    }

    /** What must be received before the commit. */
    public List<MissingSegment> missing() {
        throw new UnsupportedOperationException();
    }

    /** Starts taking one of the missing segments. Different ones may be received by different threads. */
    public Receiver receive(MissingSegment segment) throws StorageException {
        throw new UnsupportedOperationException();
    }

    /** Takes one segment. One thread. Closing it before it is complete keeps what was received for another attempt. */
    public static final class Receiver implements Closeable {
        private Receiver() {}

        /** Takes the next bytes. */
        public void accept(ByteBuffer chunk) throws StorageException {
            throw new UnsupportedOperationException();
        }

        /**
         * Verifies the whole segment and makes it durable.
         *
         * @throws StorageException.Corrupt if it is not what the manifest says; what was received is thrown away
         */
        public void complete() throws StorageException {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() throws StorageException {
            throw new UnsupportedOperationException();
        }
    }

    /**
     * Makes the checkpoint this replica's newest durable one. The group's machine is closed.
     *
     * @throws IllegalStateException if something is still missing
     * @throws Stale if this replica's own durable manifest has become newer; nothing was changed
     */
    public LogPosition commit() throws StorageException {
        throw new UnsupportedOperationException();
    }

    /** Gives up what was fetched. */
    public void discard() throws StorageException {
        throw new UnsupportedOperationException();
    }
}
