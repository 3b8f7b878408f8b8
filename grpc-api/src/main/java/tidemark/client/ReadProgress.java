package tidemark.client;

/**
 * How far a read has come.
 *
 * @param nextOffset offset from which another read would go on; -1 before the server said anything
 * @param startOffset first readable offset of the replica that serves, as it last said; -1 before
 * @param endOffset end of the replica that serves, as it last said; -1 before
 * @param caughtUp whether the last delivered record was the newest of that replica when it last spoke
 * @param endOfStream whether the stream is sealed and read to its end
 */
public record ReadProgress(long nextOffset, long startOffset, long endOffset, boolean caughtUp, boolean endOfStream) {}
