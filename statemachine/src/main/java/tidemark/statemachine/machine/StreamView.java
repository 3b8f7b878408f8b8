package tidemark.statemachine.machine;

import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.model.StreamId;

/**
 * The readable state of a stream at one moment; immutable, so any thread may use it without locks. A newer one is fetched from the
 * machine. Only applied, hence committed, records are visible.
 */
public interface StreamView {
    StreamId id();

    /** First readable offset. */
    long startOffset();

    /** Offset that the next record will get. */
    long endOffset();

    /** Timestamp of the last record ever appended; 0 if none. */
    long lastTimestampMs();

    boolean sealed();

    /** Bytes of the stream's segment files. */
    long storedBytes();

    /** What truncating before an offset (clamped to the readable range) would free, in bytes of whole segments. */
    long bytesFreedBefore(long offset);

    /** The first record whose timestamp is at or after this; the end if there is none. */
    long offsetAtTime(long timestampMs) throws StorageException;
}
