package tidemark.client;

/**
 * An append that is stored by a majority.
 *
 * @param baseOffset offset of the first record
 * @param endOffset offset after the last record
 * @param timestampMs given to all these records; milliseconds since the Unix epoch
 * @param term Raft term of the leader that wrote them
 */
public record AppendResult(long baseOffset, long endOffset, long timestampMs, long term) {
    /** Number of records. */
    public long recordCount() {
        return endOffset - baseOffset;
    }
}
