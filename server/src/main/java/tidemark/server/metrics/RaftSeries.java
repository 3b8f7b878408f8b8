package tidemark.server.metrics;

import com.codahale.metrics.Counter;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import tidemark.server.raft.RaftMeter;
import tidemark.statemachine.model.GroupId;

/** What the Raft groups do, summed over all of them. */
final class RaftSeries implements RaftMeter {
    private final Counter appliedEntries;
    private final Counter appliedBytes;
    private final Map<ProposalEnd, Counter> proposals = new EnumMap<>(ProposalEnd.class);
    private final Summary proposalSeconds;
    private final Counter leadershipChanges;
    private final Summary checkpointSeconds;
    private final Summary snapshotSeconds;
    private final Set<GroupId> leading = ConcurrentHashMap.newKeySet();

    RaftSeries(ServerMetrics metrics) {
        appliedEntries = metrics.counter("tidemark_raft_applied_entries_total", "Entries applied.");
        appliedBytes = metrics.counter("tidemark_raft_applied_bytes_total", "Bytes of entries applied.");
        for (ProposalEnd end : ProposalEnd.values()) {
            proposals.put(
                    end,
                    metrics.counter(
                            "tidemark_raft_proposals_total",
                            "Proposals made here, by how they ended.",
                            "end",
                            end.name().toLowerCase(Locale.ROOT)));
        }
        proposalSeconds =
                metrics.summary("tidemark_raft_proposal_seconds", "From a proposal to its end.", Summary.ofNanos());
        leadershipChanges = metrics.counter(
                "tidemark_raft_leadership_changes_total", "Times that this server began or ceased to lead a group.");
        checkpointSeconds = metrics.summary(
                "tidemark_raft_checkpoint_seconds", "How long checkpoints held up applying.", Summary.ofNanos());
        snapshotSeconds = metrics.summary(
                "tidemark_raft_snapshot_install_seconds",
                "How long it took to install other replicas' checkpoints.",
                Summary.ofNanos());
        metrics.gauge("tidemark_raft_groups_leading", "Groups that this server leads.", leading::size);
    }

    @Override
    public void applied(GroupId group, int entryBytes) {
        appliedEntries.inc();
        appliedBytes.inc(entryBytes);
    }

    @Override
    public void proposalEnded(GroupId group, ProposalEnd end, long nanos) {
        Counter counter = proposals.get(end);
        if (counter != null) {
            counter.inc();
        }
        proposalSeconds.add(nanos);
    }

    @Override
    public void leadershipChanged(GroupId group, boolean leads) {
        leadershipChanges.inc();
        if (leads) {
            leading.add(group);
        } else {
            leading.remove(group);
        }
    }

    @Override
    public void checkpointWritten(GroupId group, long nanos) {
        checkpointSeconds.add(nanos);
    }

    @Override
    public void snapshotInstalled(GroupId group, long nanos) {
        snapshotSeconds.add(nanos);
    }
}
