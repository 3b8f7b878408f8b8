package tidemark.client;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Reads a stream record by record, on the caller's thread. Not thread-safe, except {@link #close}.
 *
 * <p>Lost connections and moved leaders do not show: the reader goes on by offset, without gap or repeat. If it can make no
 * progress for the client's request timeout it fails with {@link TidemarkException.Unavailable}. Records that were truncated
 * under it are a typed gap, {@link TidemarkException.OffsetTruncated}, never a silent jump. After a failure every call
 * throws it again.
 */
public interface RecordReader extends AutoCloseable {
    /** Waits for the next record; null at the end of what was asked for. Throws {@link TidemarkException}. */
    @Nullable StoredLogRecord next();

    /**
     * Waits at most so long for the next record; null if none came, or at the end ({@link #ended} tells which).
     *
     * @param timeout may be zero: then only a record that is already here is returned
     */
    @Nullable StoredLogRecord poll(Duration timeout);

    /** Whether everything that was asked for has been returned. */
    boolean ended();

    /**
     * Progress as of the last returned record: {@code nextOffset} is what to save, and {@code caughtUp} is only true once
     * all buffered records were returned.
     */
    ReadProgress progress();

    /** Stops reading; waiting calls end with {@link TidemarkException.Closed}. */
    @Override
    void close();
}
