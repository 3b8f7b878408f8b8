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

    /** Writes all remaining bytes of the buffer. A gap between the end and the position is filled with zeros. */
    void write(ByteBuffer source, long position) throws StorageException;

    /** Cuts the file to a length; nothing happens if it is not longer. */
    void truncate(long size) throws StorageException;

    /**
     * Makes contents and length durable. After a failure it is unknown what the file holds, and another sync would prove nothing: this
     * object then refuses all changes.
     */
    void sync() throws StorageException;

    /** Bytes of the file now. */
    long size() throws StorageException;

    /** Makes nothing durable. Closing again does nothing. */
    @Override
    void close() throws StorageException;
}
