package tidemark.statemachine.format;

/**
 * What stands before the body of a batch in a segment, verified against the header's own checksum.
 *
 * @param baseOffset offset of the batch's first record
 * @param timestampMs of all its records
 * @param term Raft term in which it was written
 * @param index Raft index of its entry
 * @param batch the numbers of the batch, with nothing known about the body but its length
 */
public record FrameHeader(long baseOffset, long timestampMs, long term, long index, BatchHeader batch) {
    /**
     * The numbers of a batch.
     *
     * @param crc32c what the body is to be checked with
     * @param bodyBytes length of the body
     */
    public record BatchHeader(int recordCount, int compression, int uncompressedBytes, int crc32c, int bodyBytes) {}

    /** Offset of the record after the batch. */
    public long endOffset() {
        return baseOffset + batch.recordCount();
    }

    /** Length of the whole frame. */
    public int frameBytes() {
        return FrameCodec.HEADER_BYTES + batch.bodyBytes();
    }
}
