package tidemark.server.raft;

import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.server.RaftServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tidemark.server.raft.RatisGroup.Replica;
import tidemark.statemachine.env.StorageException;

/**
 * Has the groups write checkpoints, one group after the other so that they do not all use the disk at once. First syncs the machine's
 * files beside applying, so that the part which blocks applying is short. All on one thread, which may block.
 */
final class Checkpoints {
    private static final Logger LOG = LoggerFactory.getLogger(Checkpoints.class);

    /** Longer than any sane checkpoint; only bounds how long this thread waits for a group that hangs. */
    private static final long WAIT_MILLIS = 60_000;

    private final Requests requests;
    private final Failures failures;
    private final LongSupplier nanoTime;

    Checkpoints(Requests requests, Failures failures, LongSupplier nanoTime) {
        this.requests = requests;
        this.failures = failures;
        this.nanoTime = nanoTime;
    }

    /** Looks at each group once. */
    void runDue(RaftServer server, Collection<RatisGroup> groups) throws InterruptedException {
        for (RatisGroup group : groups) {
            Replica replica = group.replica();
            if (replica != null && group.usable() && due(replica)) {
                write(server, group, replica, WAIT_MILLIS);
            }
        }
    }

    /** Writes one checkpoint of each group that changed, until the time is over. */
    void runAll(RaftServer server, Collection<RatisGroup> groups, long untilNanos) throws InterruptedException {
        for (RatisGroup group : groups) {
            Replica replica = group.replica();
            long left = TimeUnit.NANOSECONDS.toMillis(untilNanos - nanoTime.getAsLong());
            if (replica != null && group.usable() && replica.stateMachine().changedSinceCheckpoint() && left > 0) {
                write(server, group, replica, left);
            }
        }
    }

    private boolean due(Replica replica) {
        GroupStateMachine machine = replica.stateMachine();
        return replica.checkpoints()
                .due(
                        machine.changedSinceCheckpoint(),
                        machine.appliedCost(),
                        machine.appliedEntries(),
                        machine.machine().current().reclaimableBytes(),
                        nanoTime.getAsLong());
    }

    private void write(RaftServer server, RatisGroup group, Replica replica, long waitMillis)
            throws InterruptedException {
        GroupStateMachine machine = replica.stateMachine();
        replica.checkpoints().asked(machine.appliedCost(), machine.appliedEntries(), nanoTime.getAsLong());
        try {
            machine.machine().sync();
        } catch (StorageException e) {
            failures.report(Optional.of(group.id()), "syncing stored files failed", e);
            group.failed();
            return;
        }
        try {
            RaftClientReply reply = server.snapshotManagementAsync(requests.checkpoint(group.id(), waitMillis))
                    .get(waitMillis, TimeUnit.MILLISECONDS);
            if (!reply.isSuccess()) {
                notNow(group, reply.getException());
            }
        } catch (ExecutionException | TimeoutException e) {
            notNow(group, e);
        }
    }

    /** The group is closing, or installs a snapshot, or is slow. A failure of the checkpoint itself was reported where it happened. */
    private static void notNow(RatisGroup group, Throwable why) {
        LOG.info("group {}: no checkpoint this time: {}", group.id(), String.valueOf(why));
    }
}
