package tidemark.client;

/**
 * A record with its place in the stream.
 *
 * @param offset dense position from 0, never reused
 * @param timestampMs milliseconds since the Unix epoch, given by the leader; never goes back within a stream
 * @param record what the writer gave
 */
public record StoredLogRecord(long offset, long timestampMs, LogRecord record) {}
