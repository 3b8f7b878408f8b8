package tidemark.client;

/** An offset that was asked for, and the range that could be read: the facts of three exceptions. */
record OffsetRange(long requestedOffset, long startOffset, long endOffset) implements java.io.Serializable {}
