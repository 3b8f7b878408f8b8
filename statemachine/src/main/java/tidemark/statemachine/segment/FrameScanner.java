package tidemark.statemachine.segment;

import java.nio.ByteBuffer;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.env.StorageFile;
import tidemark.statemachine.format.FrameCodec;
import tidemark.statemachine.format.FrameHeader;
import tidemark.statemachine.format.SegmentHeader;
import tidemark.statemachine.format.StoredBatch;

/**
 * Walks through the frames of one segment file. Reads large chunks; batches taken from one chunk share its memory. The file is given
 * with each call, as it may be closed and opened again in between. One thread.
 */
public final class FrameScanner {
    private final String path;
    private final int chunkBytes;
    private long position;

    /** What was read last, from {@link #bufferPosition} of the file on. Filled once, never changed: batches are parts of it. */
    private ByteBuffer buffer = ByteBuffer.allocate(0);

    private long bufferPosition;

    /** @param position of a frame, or 0: the header of the file is next */
    public FrameScanner(String path, int chunkBytes, long position) {
        this.path = path;
        this.chunkBytes = chunkBytes;
        this.position = position;
    }

    /** Where the next frame begins. */
    public long position() {
        return position;
    }

    /** Checks the header of the file, and moves behind it. */
    public void header(StorageFile file, long limit, SegmentHeader expected) throws StorageException {
        expected.check(path, bytes(file, SegmentHeader.BYTES, limit));
        position = SegmentHeader.BYTES;
    }

    /**
     * Reads and checks the header of the next frame, and stays before it.
     *
     * @param limit length of the file that counts
     */
    public FrameHeader next(StorageFile file, long limit) throws StorageException {
        return FrameCodec.header(path, position, bytes(file, FrameCodec.HEADER_BYTES, limit));
    }

    /** Reads and checks the batch of the next frame, and moves behind that. */
    public StoredBatch take(StorageFile file, long limit, FrameHeader header) throws StorageException {
        StoredBatch batch = FrameCodec.batch(path, position, header, bytes(file, header.frameBytes(), limit));
        position += header.frameBytes();
        return batch;
    }

    /** Moves behind the next frame without looking at its body. */
    public void skip(FrameHeader header) {
        position += header.frameBytes();
    }

    /** A buffer whose position is this scanner's, with at least so many bytes. */
    private ByteBuffer bytes(StorageFile file, int count, long limit) throws StorageException {
        if (limit - position < count) {
            throw new StorageException.Corrupt(
                    path,
                    position,
                    count + " bytes",
                    (limit - position) + " bytes until the segment's end at " + limit);
        }
        long from = position - bufferPosition;
        if (from < 0 || from + count > buffer.limit()) {
            fill(file, count, limit);
            from = 0;
        }
        return buffer.position((int) from);
    }

    private void fill(StorageFile file, int count, long limit) throws StorageException {
        ByteBuffer next = ByteBuffer.allocate((int) Math.min(limit - position, Math.max(count, chunkBytes)));
        long from = position - bufferPosition;
        if (from >= 0 && from < buffer.limit()) {
            next.put(buffer.position((int) from));
        }
        long end = position + next.capacity();
        file.read(next, position + next.position());
        if (next.hasRemaining()) {
            throw new StorageException.Corrupt(
                    path, end - next.remaining(), "a file of at least " + limit + " bytes", "its end");
        }
        buffer = next.flip();
        bufferPosition = position;
    }
}
