package tidemark.statemachine.segment;

/**
 * Bounds of the engine on one server.
 *
 * @param segmentBytes a segment file is closed before it would exceed this. Larger: fewer files, but truncation frees space in larger
 *     steps. Should be equal on all servers, so that a replica can use its own files when it takes over another's checkpoint
 * @param indexIntervalBytes of a segment between two entries of its index: what a reader skips through on average when it starts
 * @param readChunkBytes read from a file at once
 * @param openFiles open and idle file handles kept, over all streams of the server
 * @param cachedIndexes indexes kept in memory, over all streams of the server (24 bytes for each {@code indexIntervalBytes} of a segment)
 * @param dirtyFiles files of one group that are not yet synced; with more, applying waits for a sync
 */
public record EngineLimits(
        long segmentBytes,
        int indexIntervalBytes,
        int readChunkBytes,
        int openFiles,
        int cachedIndexes,
        int dirtyFiles) {
    public static final EngineLimits DEFAULT = new EngineLimits(64 << 20, 64 << 10, 256 << 10, 512, 256, 128);

    public EngineLimits {
        if (segmentBytes < 1 || indexIntervalBytes < 1 || readChunkBytes < 1) {
            throw new IllegalArgumentException("sizes must be positive");
        }
        if (openFiles < 1 || cachedIndexes < 1 || dirtyFiles < 1) {
            throw new IllegalArgumentException("counts must be positive");
        }
    }

    public EngineLimits withSegmentBytes(long bytes) {
        return new EngineLimits(bytes, indexIntervalBytes, readChunkBytes, openFiles, cachedIndexes, dirtyFiles);
    }
}
