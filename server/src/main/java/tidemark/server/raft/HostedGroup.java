package tidemark.server.raft;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import tidemark.statemachine.machine.Machine;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.Outcome;

/** One group on this server. Safe for use by many threads. */
public interface HostedGroup {
    GroupId id();

    /** The machine as it is now; another object after a snapshot was installed, so do not keep it. */
    Machine machine();

    /** Who leads, as this replica knows it. Cheap. */
    Leadership leadership();

    /**
     * Appends an entry to the group's log, if this server leads it. The order of calls is the order in the log when one thread calls.
     *
     * @param entry not changed afterwards by the caller
     * @return the outcome of each command, once a majority has fsynced the entry and this server has applied it; or a
     *     {@link ProposalException}; or, where the entry is larger than {@link RaftSettings#entryBytesMax}, an
     *     {@link IllegalArgumentException}: it was not written, and whoever forms entries has a defect
     */
    CompletableFuture<List<Outcome>> propose(byte[] entry);

    /**
     * Has a listener called each time this replica may have something new to see: entries applied, a snapshot installed, leadership
     * changed, the group closed. Called on Raft's threads: it must return at once. Close the registration to end it.
     */
    Registration listen(Runnable listener);

    /**
     * @param leads this server leads, and has applied everything its predecessors committed
     * @param leaderId the leader as far as known
     * @param term the current term
     */
    record Leadership(boolean leads, Optional<String> leaderId, long term) {}

    /** Ends a listener. */
    interface Registration extends AutoCloseable {
        @Override
        void close();
    }
}
