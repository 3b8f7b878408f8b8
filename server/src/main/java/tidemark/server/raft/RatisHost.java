package tidemark.server.raft;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.protocol.GroupManagementRequest;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.util.LifeCycle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tidemark.server.raft.RatisGroup.Replica;
import tidemark.statemachine.model.GroupId;

/**
 * The Raft groups of this server, on one Ratis server.
 *
 * <p>Threads of its own: one that watches (deadlines, groups that ended by themselves), one that asks for checkpoints, one that starts
 * and stops groups, two that fetch snapshots. Everything else runs on Ratis' threads or the caller's.
 */
public final class RatisHost implements RaftHost {
    private static final Logger LOG = LoggerFactory.getLogger(RatisHost.class);

    /** Bounds of what a caller waits for. Ratis itself would wait for up to a day. */
    private static final long MANAGE_SECONDS = 30;

    private static final long CLOSE_CHECKPOINTS_SECONDS = 20;
    private static final long CLOSE_SECONDS = 30;
    private static final long WATCH_MILLIS = 250;

    private final RaftNode node;
    private final RaftSettings settings;
    private final MachineFactory factory;
    private final Failures failures;
    private final RaftMeter meter;
    private final LongSupplier nanoTime;
    private final Requests requests;
    private final Installs installs;
    private final Checkpoints checkpoints;
    private final Journals journals;
    private final RatisGroup.Shared shared;

    private final Map<GroupId, RatisGroup> groups = new ConcurrentHashMap<>();
    /** The newest state machine that Ratis asked for, of each group. */
    private final Map<GroupId, GroupStateMachine> stateMachines = new ConcurrentHashMap<>();

    private final ScheduledExecutorService watcher =
            Executors.newSingleThreadScheduledExecutor(task -> Threads.daemon("raft-watch", task));
    private final ScheduledExecutorService checkpointer =
            Executors.newSingleThreadScheduledExecutor(task -> Threads.daemon("raft-checkpoint", task));
    private final ExecutorService manager =
            Executors.newSingleThreadExecutor(task -> Threads.daemon("raft-manage", task));

    private final ReentrantLock managing = new ReentrantLock();
    private @Nullable RaftServer server;
    private volatile boolean closing;

    /**
     * Does nothing yet but remember: {@link #start} starts.
     *
     * @param peers used when a replica is too far behind
     * @param nanoTime as {@link System#nanoTime}
     */
    public RatisHost(
            RaftNode node,
            RaftSettings settings,
            MachineFactory factory,
            PeerSnapshots peers,
            FailureListener failureListener,
            RaftMeter meter,
            LongSupplier nanoTime) {
        RatisRuntime.prepare();
        this.node = node;
        this.settings = settings;
        this.factory = factory;
        this.meter = meter;
        this.nanoTime = nanoTime;
        this.failures = new Failures(failureListener);
        this.requests = new Requests(RaftPeerId.valueOf(node.id()));
        this.installs = new Installs(peers, factory, failures, meter, nanoTime);
        this.checkpoints = new Checkpoints(requests, failures, nanoTime);
        this.journals = new Journals(node.journal(), factory);
        this.shared = new RatisGroup.Shared(settings, requests, failures, meter, nanoTime, installs);
    }

    // --- start ---

    /**
     * Starts the groups that are in the journal directory, and listens. Blocks until all have opened their machines; they elect leaders
     * afterwards.
     *
     * @throws IOException if the port is taken, or any group is damaged (the message names each and the file), or cannot be opened; then
     *     nothing runs, and nothing on disk was changed
     */
    public void start() throws IOException {
        managing.lock();
        try {
            journals.open();
            RaftServer made = build();
            server = made;
            try {
                made.start();
                for (RaftGroupId id : made.getGroupIds()) {
                    attach(made, Requests.ourId(id));
                }
            } catch (IOException | RuntimeException e) {
                closing = true;
                IOException problem = new IOException(startProblem(e), e);
                closeAfter(problem, made);
                throw problem;
            }
            failures.started();
            repeat(watcher, "watching", this::watch);
            repeat(checkpointer, "checkpoints", () -> checkpoints.runDue(made, groups.values()));
        } finally {
            managing.unlock();
        }
    }

    private void closeAfter(IOException problem, RaftServer made) {
        try {
            closeServer(made);
        } catch (IOException e) {
            problem.addSuppressed(e);
        }
        stopThreads();
    }

    private RaftServer build() throws IOException {
        RaftProperties properties = RatisProperties.of(node, settings);
        Parameters parameters = new Parameters();
        GrpcConfigKeys.Server.setServicesCustomizer(parameters, new PeerGate(node.journal()));
        return RaftServer.newBuilder()
                .setServerId(RaftPeerId.valueOf(node.id()))
                .setProperties(properties)
                .setParameters(parameters)
                .setStateMachineRegistry(id -> newStateMachine(Requests.ourId(id)))
                // With this option and no group of our own, Ratis starts those whose directories it finds.
                .setOption(RaftStorage.StartupOption.RECOVER)
                .build();
    }

    private GroupStateMachine newStateMachine(GroupId id) {
        RatisGroup group = groups.computeIfAbsent(id, key -> new RatisGroup(key, shared));
        GroupStateMachine machine = new GroupStateMachine(
                new GroupStateMachine.Context(id, factory, settings, failures, meter, nanoTime, group));
        stateMachines.put(id, machine);
        return machine;
    }

    private void attach(RaftServer on, GroupId id) throws IOException {
        RatisGroup group = groups.get(id);
        GroupStateMachine machine = stateMachines.get(id);
        if (group == null || machine == null) {
            throw new IOException("Ratis started group " + id + " without asking for its state machine");
        }
        // Spreads the checkpoints of groups that are opened together over the interval.
        long spread = Math.floorMod(
                        id.hashCode(), Math.max(1, settings.checkpointInterval().toMillis()))
                * 1_000_000L;
        CheckpointState state = new CheckpointState(settings, nanoTime.getAsLong() - spread);
        group.attach(new Replica(on.getDivision(Requests.ratisId(id)), machine, state));
    }

    private String startProblem(Throwable e) {
        List<String> lines = failures.lines();
        if (!lines.isEmpty()) {
            return String.join("; ", lines);
        }
        Throwable root = e;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String message = root.getMessage() == null ? root.toString() : root.getMessage();
        return "cannot serve Raft on " + node.bindHost() + ":" + node.raftPort() + ": " + message;
    }

    // --- groups ---

    @Override
    public void addGroup(GroupId id, List<Member> members) throws IOException {
        managing.lock();
        try {
            RaftServer on = running();
            RatisGroup group = groups.get(id);
            Replica replica = group == null ? null : group.replica();
            if (replica != null) {
                if (!replica.division().getRaftConf().getCurrentPeers().isEmpty()) {
                    return;
                }
                // Its first process died before the members came into the journal. What is there must stay: it may have
                // voted.
                manage(on, requests.remove(id));
            }
            add(on, id, members);
        } finally {
            managing.unlock();
        }
    }

    private void add(RaftServer on, GroupId id, List<Member> members) throws IOException {
        try {
            manage(on, requests.add(id, members));
            attach(on, id);
        } catch (IOException e) {
            failures.report(Optional.of(id), "cannot be started", e);
            throw new IOException("group " + id + " cannot be started: " + e.getMessage(), e);
        }
    }

    @Override
    public void removeGroup(GroupId id) throws IOException {
        managing.lock();
        try {
            RaftServer on = running();
            RatisGroup group = groups.get(id);
            if (group == null) {
                return;
            }
            group.refuseProposals();
            if (hosts(on, id)) {
                manage(on, requests.remove(id));
            }
            group.ended();
            journals.delete(id);
            groups.remove(id);
            stateMachines.remove(id);
            installs.forget(id);
        } finally {
            managing.unlock();
        }
    }

    private static boolean hosts(RaftServer on, GroupId id) {
        for (RaftGroupId hosted : on.getGroupIds()) {
            if (Requests.ourId(hosted).equals(id)) {
                return true;
            }
        }
        return false;
    }

    /** On a thread of its own and for a bounded time: Ratis waits for all that is committed to be applied. */
    private void manage(RaftServer on, GroupManagementRequest request) throws IOException {
        RaftClientReply reply =
                bounded(() -> on.groupManagementAsync(request).get(), MANAGE_SECONDS, request.toString());
        if (!reply.isSuccess()) {
            throw new IOException(request + " failed", reply.getException());
        }
    }

    private <T> T bounded(Callable<T> work, long seconds, String what) throws IOException {
        Future<T> future = manager.submit(work);
        try {
            return future.get(seconds, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() instanceof ExecutionException inner ? inner.getCause() : e.getCause();
            throw new IOException(cause == null ? what + " failed" : cause.getMessage(), cause);
        } catch (TimeoutException e) {
            throw new IOException(what + " did not end within " + seconds + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(what + " was interrupted", e);
        }
    }

    @Override
    public Set<GroupId> groups() {
        return Set.copyOf(groups.keySet());
    }

    @Override
    public Optional<HostedGroup> group(GroupId id) {
        RatisGroup group = groups.get(id);
        return group == null || !group.usable() ? Optional.empty() : Optional.of(group);
    }

    @Override
    public List<String> problems() {
        List<String> lines = new ArrayList<>(failures.lines());
        lines.addAll(installs.troubles());
        return List.copyOf(lines);
    }

    private RaftServer running() throws IOException {
        RaftServer now = server;
        if (now == null || closing) {
            throw new IOException("the Raft host is " + (closing ? "closed" : "not started"));
        }
        return now;
    }

    // --- watching ---

    private void watch() throws IOException {
        groups.values().forEach(group -> group.proposals().expire());
        // Who starts or stops groups holds the lock; what is seen meanwhile means nothing.
        if (!managing.tryLock()) {
            return;
        }
        try {
            RaftServer on = server;
            if (on != null && !closing) {
                watchServer(on);
                for (RatisGroup group : groups.values()) {
                    Replica replica = group.replica();
                    if (replica != null) {
                        watchReplica(on, group, replica);
                    }
                }
            }
        } finally {
            managing.unlock();
        }
    }

    private void watchServer(RaftServer on) {
        LifeCycle.State state = on.getLifeCycleState();
        if (state.isClosingOrClosed() || state == LifeCycle.State.EXCEPTION) {
            // A pause of the process beyond close.threshold, say.
            failures.report(Optional.empty(), "Ratis stopped by itself (" + state + ")", null);
        }
    }

    private void watchReplica(RaftServer on, RatisGroup group, Replica replica) throws IOException {
        LifeCycle.State state = replica.division().getInfo().getLifeCycleState();
        if (state.isClosingOrClosed()) {
            if (!group.broken()) {
                failures.report(Optional.of(group.id()), "stopped by itself (" + state + ")", null);
                group.failed();
            }
        } else if (group.broken()) {
            // So that it does not go on voting, and promising what it cannot keep.
            manager.execute(replica.division()::close);
        } else if (replica.stateMachine().reloadOverdue(nanoTime.getAsLong(), reloadWaitNanos())) {
            LOG.warn("group {}: Ratis did not take up an installed snapshot; restarting the replica", group.id());
            manage(on, requests.remove(group.id()));
            add(on, group.id(), List.of());
        }
    }

    /** After an install Ratis waits for its leader to ask once more. A new leader that has all entries never does. */
    private long reloadWaitNanos() {
        return settings.electionTimeoutMax().multipliedBy(10).toNanos();
    }

    private interface Work {
        void run() throws IOException, InterruptedException;
    }

    /** A scheduled task that throws is never run again: that must not happen silently. */
    private void repeat(ScheduledExecutorService on, String what, Work work) {
        Runnable guarded = () -> {
            try {
                work.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (IOException | RuntimeException e) {
                if (!closing) {
                    failures.report(Optional.empty(), what + " failed", e);
                }
            }
        };
        var unused = on.scheduleWithFixedDelay(guarded, WATCH_MILLIS, WATCH_MILLIS, TimeUnit.MILLISECONDS);
    }

    // --- end ---

    @Override
    public void close() throws IOException {
        groups.values().forEach(RatisGroup::refuseProposals);
        managing.lock();
        try {
            RaftServer on = server;
            if (on == null || closing) {
                closing = true;
                stopThreads();
                return;
            }
            lastCheckpoints(on);
            closing = true;
            installs.close();
            watcher.shutdownNow();
            try {
                closeServer(on);
            } finally {
                groups.values().forEach(RatisGroup::ended);
                stopThreads();
            }
        } finally {
            managing.unlock();
        }
    }

    /** Spares the next start the replay. If it does not work, the next start replays. */
    private void lastCheckpoints(RaftServer on) {
        long until = nanoTime.getAsLong() + TimeUnit.SECONDS.toNanos(CLOSE_CHECKPOINTS_SECONDS);
        try {
            checkpointer
                    .submit(() -> {
                        checkpoints.runAll(on, groups.values(), until);
                        return null;
                    })
                    .get(CLOSE_CHECKPOINTS_SECONDS + 1, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("not all groups wrote a checkpoint before the end", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        checkpointer.shutdownNow();
    }

    private void closeServer(RaftServer on) throws IOException {
        bounded(
                () -> {
                    on.close();
                    return on;
                },
                CLOSE_SECONDS,
                "closing Ratis");
    }

    private void stopThreads() {
        installs.close();
        watcher.shutdownNow();
        checkpointer.shutdownNow();
        manager.shutdown();
    }
}
