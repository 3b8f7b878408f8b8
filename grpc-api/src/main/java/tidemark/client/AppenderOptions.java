package tidemark.client;

/**
 * How an {@link Appender} joins records and how much it holds. Immutable.
 *
 * @param maxBatchRecords most records joined into one batch, 1 to 65,536. Default 1,000
 * @param maxBatchBytes most encoded bytes joined into one batch, 1 to 1 MiB. Default 256 KiB. Larger batches cost fewer
 *     round trips per byte, smaller ones less latency. One {@code add} is never split: one above this limit travels alone
 * @param maxBatchesInFlight most batches that wait for their acknowledgement, 1 to 64. Default 16
 * @param maxBufferedBytes most encoded bytes added but not acknowledged, 1 to 1 GiB; {@code add} blocks above it. Each record
 *     counts 64 bytes more than its encoding. Default 8 MiB. One {@code add} above it is taken when nothing else is held
 * @param idempotent whether the stream is to recognise repeats of this appender's batches, so that a batch whose
 *     acknowledgement was lost is sent again and still written once. Default true. Costs a place among the 1,000 writers that a
 *     stream remembers
 */
public record AppenderOptions(
        int maxBatchRecords, int maxBatchBytes, int maxBatchesInFlight, int maxBufferedBytes, boolean idempotent) {
    private static final AppenderOptions DEFAULTS = new AppenderOptions(1_000, 256 << 10, 16, 8 << 20, true);

    /** Checks the ranges. */
    public AppenderOptions {
        requireRange("maxBatchRecords", maxBatchRecords, RecordLimits.BATCH_RECORDS_MAX);
        requireRange("maxBatchBytes", maxBatchBytes, RecordLimits.BATCH_BYTES_MAX);
        requireRange("maxBatchesInFlight", maxBatchesInFlight, 64);
        requireRange("maxBufferedBytes", maxBufferedBytes, 1 << 30);
    }

    /** The defaults named above. */
    public static AppenderOptions defaults() {
        return DEFAULTS;
    }

    /** These options with other limits of a batch. */
    public AppenderOptions withBatchLimits(int records, int bytes) {
        return new AppenderOptions(records, bytes, maxBatchesInFlight, maxBufferedBytes, idempotent);
    }

    /** These options with another number of batches in flight. */
    public AppenderOptions withMaxBatchesInFlight(int batches) {
        return new AppenderOptions(maxBatchRecords, maxBatchBytes, batches, maxBufferedBytes, idempotent);
    }

    /** These options with another buffer limit. */
    public AppenderOptions withMaxBufferedBytes(int bytes) {
        return new AppenderOptions(maxBatchRecords, maxBatchBytes, maxBatchesInFlight, bytes, idempotent);
    }

    /** These options, with or without recognising repeats. */
    public AppenderOptions withIdempotent(boolean value) {
        return new AppenderOptions(maxBatchRecords, maxBatchBytes, maxBatchesInFlight, maxBufferedBytes, value);
    }

    private static void requireRange(String name, int value, int max) {
        if (value < 1 || value > max) {
            throw new IllegalArgumentException(name + " must be 1 to " + max + ", is " + value);
        }
    }
}
