package tidemark.server.batch;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import tidemark.server.raft.HostedGroup;
import tidemark.statemachine.model.GroupId;

/** The batchers of this server's groups, made when first asked for. Safe for use by many threads. */
public final class Batchers {
    private final BatchLimits limits;
    private final ServerTime time;
    private final Executor callbacks;
    private final BatchMetrics metrics;
    private final PendingBudget serverBudget;
    private final ConcurrentHashMap<GroupId, Batcher> batchers = new ConcurrentHashMap<>();

    /**
     * @param callbacks completes the futures of operations, and may then propose more; never one of Raft's threads, and never one that
     *     drops tasks while the server runs
     */
    public Batchers(BatchLimits limits, ServerTime time, Executor callbacks, BatchMetrics metrics) {
        this.limits = limits;
        this.time = time;
        this.callbacks = callbacks;
        this.metrics = metrics;
        this.serverBudget = new PendingBudget(limits.serverBytesMax());
    }

    /** The batcher of a group; a new one when the group was started anew. */
    public Batcher of(HostedGroup group) {
        Batcher known = batchers.get(group.id());
        if (known != null && known.group() == group) {
            return known;
        }
        return batchers.compute(
                group.id(),
                (id, present) -> present != null && present.group() == group
                        ? present
                        : new Batcher(group, limits, time, callbacks, metrics, serverBudget));
    }

    /** Forgets the batchers of all other groups. What they still hold completes by itself. */
    public void retain(Set<GroupId> groups) {
        batchers.keySet().retainAll(groups);
    }

    /** Bytes of operations that wait or are in flight, over all groups. */
    public long pendingBytes() {
        return serverBudget.used();
    }
}
