package tidemark.statemachine.format;

/**
 * A batch with its place in the stream.
 *
 * @param baseOffset offset of its first record
 * @param timestampMs of all its records
 * @param term Raft term in which it was written
 * @param index Raft index of its entry
 * @param batch the batch; when it was read, verified against its checksum
 */
public record StoredBatch(long baseOffset, long timestampMs, long term, long index, Batch batch) {
    /** Offset of the record after the batch. */
    public long endOffset() {
        return baseOffset + batch.recordCount();
    }
}
