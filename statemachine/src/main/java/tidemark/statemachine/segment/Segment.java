package tidemark.statemachine.segment;

/**
 * A segment at one moment. Never without a frame.
 *
 * @param baseOffset offset of its first record
 * @param length of the file that counts, in bytes; more may be there, and means nothing
 * @param endOffset offset of the record after its last one
 * @param lastTimestampMs of its last record
 */
public record Segment(long baseOffset, long length, long endOffset, long lastTimestampMs) {}
