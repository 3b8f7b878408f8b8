package tidemark.server.batch;

/**
 * What bounds a batcher.
 *
 * @param entriesInFlight entries of one group that may wait for their outcome at the same time. More hides latency, fewer make larger
 *     entries
 * @param entryBytesTarget an entry is not filled beyond this; one operation that alone is larger still goes, alone
 * @param entryCommandsMax most commands of one entry, so that applying one takes a bounded time
 * @param groupBytesMax bytes of operations of one group that may wait or be in flight; one more is refused as overloaded
 * @param serverBytesMax the same over all groups of the server
 */
public record BatchLimits(
        int entriesInFlight, int entryBytesTarget, int entryCommandsMax, long groupBytesMax, long serverBytesMax) {
    /** Fits a server with a heap of 512 MiB or more. */
    public static final BatchLimits DEFAULT = new BatchLimits(4, 1 << 20, 1024, 32L << 20, 128L << 20);

    public BatchLimits {
        if (entriesInFlight < 1
                || entryBytesTarget < 1
                || entryCommandsMax < 1
                || groupBytesMax < 1
                || serverBytesMax < 1) {
            throw new IllegalArgumentException("every limit of a batcher must be at least 1");
        }
    }
}
