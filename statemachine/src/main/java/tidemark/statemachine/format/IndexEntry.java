package tidemark.statemachine.format;

/**
 * A frame that an index knows.
 *
 * @param offset its base offset
 * @param timestampMs its timestamp
 * @param position where it begins in the segment file
 */
public record IndexEntry(long offset, long timestampMs, long position) {}
