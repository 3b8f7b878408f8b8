package tidemark.statemachine.segment;

import java.io.Closeable;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import tidemark.statemachine.env.FileSystem;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.format.FrameCodec;

/**
 * The segment files of all groups of a server, with what they share: open handles, indexes in memory and buffers to write from, each
 * bounded. One for each server; safe for many threads.
 */
public final class SegmentFiles implements Closeable {
    /** One frame of any size, and many small ones at once. */
    private static final int WRITE_BUFFER_BYTES = FrameCodec.FRAME_BYTES_MAX + (64 << 10);

    /** More appliers than this at once allocate theirs anew. */
    private static final int WRITE_BUFFERS_KEPT = 16;

    private final FileSystem files;
    private final EngineLimits limits;
    private final FileHandles handles;
    private final IndexCache indexes;
    /** Guarded by itself. */
    private final Deque<ByteBuffer> writeBuffers = new ArrayDeque<>();

    /** Touches nothing yet. */
    public SegmentFiles(FileSystem files, EngineLimits limits) {
        this.files = files;
        this.limits = limits;
        this.handles = new FileHandles(files, limits.openFiles());
        this.indexes = new IndexCache(limits.cachedIndexes());
    }

    public EngineLimits limits() {
        return limits;
    }

    /** The door to the disk beneath: for what is not done through handles. */
    public FileSystem fileSystem() {
        return files;
    }

    FileHandles handles() {
        return handles;
    }

    IndexCache indexes() {
        return indexes;
    }

    /** A direct buffer of {@link #WRITE_BUFFER_BYTES}, empty; to be given back. */
    ByteBuffer takeWriteBuffer() {
        ByteBuffer buffer;
        synchronized (writeBuffers) {
            buffer = writeBuffers.poll();
        }
        return buffer == null ? ByteBuffer.allocateDirect(WRITE_BUFFER_BYTES) : buffer.clear();
    }

    /** Where it is one too many, it is left to the garbage collector. */
    void giveWriteBuffer(ByteBuffer buffer) {
        synchronized (writeBuffers) {
            if (writeBuffers.size() < WRITE_BUFFERS_KEPT) {
                writeBuffers.push(buffer);
            }
        }
    }

    /** Files that are open now through handles. */
    public int openFiles() {
        return handles.size();
    }

    /** To be called when a file was deleted or replaced; who reads it now may go on. */
    public void forget(String path) throws StorageException {
        handles.forget(path);
        indexes.forget(path);
    }

    /** As {@link #forget}, of all files below a directory. */
    public void forgetBelow(String directory) throws StorageException {
        handles.forgetBelow(directory);
        indexes.forgetBelow(directory);
    }

    /** Closes all files that are not in use; those in use are closed by their users. */
    @Override
    public void close() {
        try {
            handles.close();
        } catch (StorageException e) {
            throw new UncheckedIOException(e);
        }
    }
}
