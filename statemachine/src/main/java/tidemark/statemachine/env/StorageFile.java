package tidemark.statemachine.env;

import java.io.Closeable;
import java.nio.ByteBuffer;

/** An open file. Positional reads may run beside each other and beside one writer. */
public interface StorageFile extends Closeable {
    /**
     * Reads until the buffer is full or the file ends.
     *
     * @return bytes read, 0 at the end of the file
     */
    int read(ByteBuffer target, long position) throws StorageException;

    /** Writes all remaining bytes of the buffer. */
    void write(ByteBuffer source, long position) throws StorageException;

    void truncate(long size) throws StorageException;

    /** Makes contents and length durable. After a failure the file must not be trusted, nor synced again. */
    void sync() throws StorageException;

    long size() throws StorageException;

    @Override
    void close() throws StorageException;
}
