package tidemark.server.raft;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.LogPosition;

/**
 * Fetches checkpoints for replicas whose leader has purged what they need. A few at a time, on threads of its own; the leader asks
 * again and again, so what fails here is tried again, more and more slowly.
 */
final class Installs {
    private static final Logger LOG = LoggerFactory.getLogger(Installs.class);

    private static final int AT_ONCE = 2;
    /** With a newer manifest each time; segments that the leader truncates meanwhile are no reason to give up. */
    private static final int MANIFESTS_MAX = 3;

    private static final long RETRY_MILLIS_MAX = 10_000;

    private final PeerSnapshots peers;
    private final MachineFactory factory;
    private final Failures failures;
    private final RaftMeter meter;
    private final LongSupplier nanoTime;
    private final ScheduledThreadPoolExecutor executor;
    private final Map<GroupId, Trouble> troubles = new ConcurrentHashMap<>();

    /** Attempts that failed, one after the other. */
    private record Trouble(int attempts, String line) {}

    Installs(PeerSnapshots peers, MachineFactory factory, Failures failures, RaftMeter meter, LongSupplier nanoTime) {
        this.peers = peers;
        this.factory = factory;
        this.failures = failures;
        this.meter = meter;
        this.nanoTime = nanoTime;
        this.executor = new ScheduledThreadPoolExecutor(AT_ONCE, task -> Threads.daemon("raft-install", task));
        this.executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    List<String> troubles() {
        return troubles.values().stream().map(Trouble::line).toList();
    }

    void forget(GroupId group) {
        troubles.remove(group);
    }

    /**
     * Brings a replica to its leader's checkpoint. Returns at once.
     *
     * @param firstInJournal the first entry that the leader still has
     * @return where the replica stands afterwards, durably; null if its leader's journal has everything from the beginning
     */
    CompletableFuture<@Nullable LogPosition> start(
            GroupId group, GroupStateMachine to, Optional<String> leader, LogPosition firstInJournal) {
        CompletableFuture<@Nullable LogPosition> done = new CompletableFuture<>();
        Trouble before = troubles.get(group);
        long delay = before == null ? 0 : Math.min(RETRY_MILLIS_MAX, 100L << Math.min(10, before.attempts()));
        try {
            var unused =
                    executor.schedule(() -> run(group, to, leader, firstInJournal, done), delay, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            done.completeExceptionally(e); // closing
        }
        return done;
    }

    private void run(
            GroupId group,
            GroupStateMachine to,
            Optional<String> leader,
            LogPosition firstInJournal,
            CompletableFuture<@Nullable LogPosition> done) {
        try {
            LogPosition at = install(group, to, leader, firstInJournal.index());
            troubles.remove(group);
            done.complete(at);
        } catch (IOException | RuntimeException e) {
            Trouble before = troubles.get(group);
            int attempts = before == null ? 1 : before.attempts() + 1;
            String line = "group " + group + ": installing a snapshot failed " + attempts + " times, trying again: "
                    + e.getMessage();
            LOG.warn("{}", line, e);
            troubles.put(group, new Trouble(attempts, line));
            done.completeExceptionally(e);
        }
    }

    private @Nullable LogPosition install(GroupId group, GroupStateMachine to, Optional<String> leader, long firstIndex)
            throws IOException {
        if (firstIndex <= 0) {
            return null;
        }
        if (to.getLastAppliedTermIndex().getIndex() >= firstIndex - 1) {
            return committed(group, to::stayHere); // a new member is always asked once, also if it lacks nothing
        }
        String from = leader.orElseThrow(() -> new IOException("the leader is not known any more"));
        long started = nanoTime.getAsLong();
        SnapshotInstaller.Prepared prepared = prepare(group, from, firstIndex);
        LogPosition at = committed(group, () -> to.switchTo(prepared));
        LOG.info("group {}: installed the snapshot of {} at entry {}", group, from, at.index());
        meter.snapshotInstalled(group, nanoTime.getAsLong() - started);
        return at;
    }

    private SnapshotInstaller.Prepared prepare(GroupId group, String from, long firstIndex) throws IOException {
        SnapshotInstaller installer = factory.installer(group);
        SnapshotInstaller.Source source = (stream, baseOffset, start, end, sink) ->
                peers.segment(from, group, stream, baseOffset, start, end, sink);
        for (int attempt = 1; ; attempt++) {
            try {
                return prepareOnce(installer, peers.manifest(from, group), source, firstIndex);
            } catch (IOException e) {
                if (attempt == MANIFESTS_MAX) {
                    throw e;
                }
                LOG.info("group {}: fetching from {}, attempt {}: {}", group, from, attempt, e.getMessage());
            }
        }
    }

    private static SnapshotInstaller.Prepared prepareOnce(
            SnapshotInstaller installer, byte[] manifest, SnapshotInstaller.Source source, long firstIndex)
            throws IOException {
        SnapshotInstaller.Prepared prepared = installer.prepare(manifest, source);
        if (prepared.position().index() < firstIndex - 1) {
            prepared.discard();
            throw new IOException("the leader's checkpoint at entry "
                    + prepared.position().index() + " is older than its journal, which begins at " + firstIndex);
        }
        return prepared;
    }

    private interface Commit {
        LogPosition run() throws StorageException;
    }

    /** From here on a failure leaves a machine that cannot go on. */
    private LogPosition committed(GroupId group, Commit commit) throws StorageException {
        try {
            return commit.run();
        } catch (StorageException | RuntimeException e) {
            failures.report(Optional.of(group), "switching to an installed snapshot failed", e);
            throw e;
        }
    }

    void close() {
        executor.shutdownNow();
    }
}
