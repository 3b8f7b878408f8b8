package tidemark.server.grpc;

import tidemark.server.raft.HostedGroup;
import tidemark.server.raft.RaftHost;

/** What the methods of the log service share. */
record LogSupport(
        RaftHost raft,
        StoredStreams stored,
        Writes writes,
        Readers readers,
        ServerIdentity identity,
        RpcMetrics metrics) {
    /** Whether a group is still the one that serves here; a restarted one is another. */
    boolean isHosted(HostedGroup group) {
        return raft.group(group.id()).filter(now -> now == group).isPresent();
    }
}
