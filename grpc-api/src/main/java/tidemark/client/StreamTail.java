package tidemark.client;

/**
 * The bounds of a stream at one moment.
 *
 * @param startOffset first readable offset
 * @param endOffset offset that the next record will get
 * @param lastTimestampMs timestamp of the last record ever written; 0 if none
 * @param sealed whether it takes no more appends
 * @param serverId the server that answered
 * @param term the term it answered in
 */
public record StreamTail(
        long startOffset, long endOffset, long lastTimestampMs, boolean sealed, String serverId, long term) {}
