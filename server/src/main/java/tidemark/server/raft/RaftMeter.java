package tidemark.server.raft;

import tidemark.statemachine.model.GroupId;

/** Is told what happens, to count it. Called on Raft's threads: must return at once and must not throw. */
public interface RaftMeter {
    /** Counts nothing. */
    RaftMeter NONE = new RaftMeter() {};

    /** This replica applied an entry. */
    default void applied(GroupId group, int entryBytes) {}

    /** A proposal made here ended. */
    default void proposalEnded(GroupId group, ProposalEnd end, long nanos) {}

    /** This replica began or ceased to lead (it leads from when it is ready to take proposals). */
    default void leadershipChanged(GroupId group, boolean leads) {}

    /** This replica wrote a checkpoint; applying stood still meanwhile. */
    default void checkpointWritten(GroupId group, long nanos) {}

    /** This replica installed another's checkpoint. */
    default void snapshotInstalled(GroupId group, long nanos) {}

    /** How a proposal ended. */
    enum ProposalEnd {
        /** With outcomes. */
        APPLIED,
        /** Definitely not written. */
        REFUSED,
        /** Nobody knows. */
        INDETERMINATE
    }
}
