package tidemark.server.batch;

import java.util.Iterator;

/**
 * Decides what goes into the next entry. A pure function of what waits, what is in flight, and the limits.
 *
 * <p>Batching is natural, without a timer: an idle group sends at once whatever waits; while the window of entries in flight is full,
 * operations gather, and go together when an entry comes back.
 */
final class BatchPolicy {
    /** Bytes that a command costs in an entry beside its body: ids, lengths, checksums. */
    static final int COMMAND_OVERHEAD_BYTES = 96;

    private BatchPolicy() {}

    /** Something that waits. */
    interface Sized {
        /** Bytes it will take in an entry, overhead included. */
        int bytes();
    }

    /**
     * How many of the waiting operations, counted from the oldest, go into an entry now.
     *
     * @param pending what waits, oldest first
     * @param entriesInFlight entries whose outcome is not known yet
     * @return 0: send nothing now
     */
    static int take(Iterable<? extends Sized> pending, int entriesInFlight, BatchLimits limits) {
        if (entriesInFlight >= limits.entriesInFlight()) {
            return 0;
        }
        int count = 0;
        long bytes = 0;
        Iterator<? extends Sized> waiting = pending.iterator();
        while (waiting.hasNext() && count < limits.entryCommandsMax()) {
            bytes += waiting.next().bytes();
            if (count > 0 && bytes > limits.entryBytesTarget()) {
                break;
            }
            count++;
        }
        return count;
    }
}
