package tidemark.client;

/**
 * When waiting records leave as a batch. Pure.
 *
 * <p>While fewer than two batches are in flight, whatever waits leaves at once, so a slow writer waits for nothing. A fast
 * writer's records pile up behind those two and leave as full batches. There is no timer.
 */
final class BatchPolicy {
    /** One being acknowledged while the next is on its way. */
    private static final int EAGER_IN_FLIGHT = 2;

    private final AppenderOptions options;

    BatchPolicy(AppenderOptions options) {
        this.options = options;
    }

    /** Whether a batch leaves now. */
    boolean leaves(long waitingRecords, long waitingBytes, int batchesInFlight) {
        if (waitingRecords == 0 || batchesInFlight >= options.maxBatchesInFlight()) {
            return false;
        }
        return batchesInFlight < EAGER_IN_FLIGHT
                || waitingRecords >= options.maxBatchRecords()
                || waitingBytes >= options.maxBatchBytes();
    }

    /** Whether one more {@code add} fits into a batch that has some already. */
    boolean fits(int batchRecords, int batchBytes, int addRecords, int addBytes) {
        return batchRecords + addRecords <= options.maxBatchRecords()
                && batchBytes + addBytes <= options.maxBatchBytes();
    }
}
