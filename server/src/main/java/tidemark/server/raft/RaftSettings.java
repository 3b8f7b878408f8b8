package tidemark.server.raft;

import java.time.Duration;

/**
 * What an operator may want to change about Raft. The same on all servers of a cluster.
 *
 * @param electionTimeoutMin a follower that hears nothing from its leader for this long (at least) asks for an election; heartbeats go
 *     out every half of it. Shorter finds a dead leader sooner, longer stands more noise
 * @param electionTimeoutMax the longest such time; each follower draws its own between the two, so that they do not ask at once. A
 *     leader without answers from a majority for this long steps down
 * @param entryBytesMax largest entry. Never lower it below what the journal holds
 * @param journalBytesKept bytes of applied and checkpointed entries that stay in the journal, so that a follower back from a short
 *     outage needs no snapshot. Costs disk, and time at a restart, per group
 * @param checkpointBytes a group writes a checkpoint after applying this many bytes; a restart replays at most about as many
 * @param checkpointInterval a group that changed writes a checkpoint after this time, even if little changed
 * @param proposalTimeout a proposal without outcome for this long ends as indeterminate
 */
public record RaftSettings(
        Duration electionTimeoutMin,
        Duration electionTimeoutMax,
        int entryBytesMax,
        long journalBytesKept,
        long checkpointBytes,
        Duration checkpointInterval,
        Duration proposalTimeout) {

    /** Upper limit of {@link #entryBytesMax}: an entry is held several times in memory while it travels. */
    public static final int ENTRY_BYTES_LIMIT = 16 << 20;

    /**
     * One to two seconds of silence start an election: appends go on within some three seconds of a leader's death, and a server that
     * stalls for half a second (garbage collection, a slow disk) does not lose its leadership. A 2 MiB entry holds the largest record of 1 MiB and
     * more. 32 MiB of journal kept and 64 MiB between checkpoints bound what a restart reads to some 100 MiB a group, which takes well
     * under a second on one core.
     */
    public static final RaftSettings DEFAULT = new RaftSettings(
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            2 << 20,
            32L << 20,
            64L << 20,
            Duration.ofSeconds(60),
            Duration.ofSeconds(30));

    public RaftSettings {
        if (electionTimeoutMin.toMillis() < 50 || electionTimeoutMax.compareTo(electionTimeoutMin) <= 0) {
            throw new IllegalArgumentException(
                    "election timeouts must be at least 50 ms, and the maximum above the minimum: "
                            + electionTimeoutMin.toMillis() + " to " + electionTimeoutMax.toMillis() + " ms");
        }
        if (entryBytesMax < 1024 || entryBytesMax > ENTRY_BYTES_LIMIT) {
            throw new IllegalArgumentException("largest entry must be 1 KiB to 16 MiB: " + entryBytesMax + " bytes");
        }
        if (journalBytesKept < 0 || checkpointBytes < 1) {
            throw new IllegalArgumentException("journal bytes kept and checkpoint bytes must not be negative");
        }
        if (checkpointInterval.toMillis() < 1 || proposalTimeout.toMillis() < 1) {
            throw new IllegalArgumentException("checkpoint interval and proposal timeout must be at least 1 ms");
        }
    }
}
