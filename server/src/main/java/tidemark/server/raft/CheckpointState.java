package tidemark.server.raft;

import java.time.Duration;

/**
 * When a replica wrote its last checkpoint, and whether the next is due. No thread, no clock. Owned by the thread that asks for
 * checkpoints.
 */
final class CheckpointState {
    /** Ratis keeps some 350 bytes of heap for each entry that it has not purged. */
    static final long ENTRIES_MAX = 100_000;

    /** Truncated data goes soon, but not with a checkpoint for each truncation. */
    static final Duration RECLAIM_AFTER = Duration.ofSeconds(5);

    private final RaftSettings settings;
    private long nanos;
    private long cost;
    private long entries;

    /** @param startNanos now, less anything that spreads the groups of a server over the interval */
    CheckpointState(RaftSettings settings, long startNanos) {
        this.settings = settings;
        this.nanos = startNanos;
    }

    /**
     * @param changed something was applied since the last checkpoint
     * @param costNow {@link GroupStateMachine#appliedCost}
     * @param entriesNow {@link GroupStateMachine#appliedEntries}
     * @param reclaimable bytes of files that wait for a checkpoint to be deleted
     */
    boolean due(boolean changed, long costNow, long entriesNow, long reclaimable, long nowNanos) {
        if (!changed) {
            return false;
        }
        long since = nowNanos - nanos;
        return costNow - cost >= settings.checkpointBytes()
                || entriesNow - entries >= ENTRIES_MAX
                || since >= settings.checkpointInterval().toNanos()
                || (reclaimable > 0 && since >= RECLAIM_AFTER.toNanos());
    }

    /** One was asked for, with or without success. */
    void asked(long costThen, long entriesThen, long nowNanos) {
        cost = costThen;
        entries = entriesThen;
        nanos = nowNanos;
    }
}
