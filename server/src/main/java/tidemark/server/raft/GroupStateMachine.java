package tidemark.server.raft;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.statemachine.impl.FileListSnapshotInfo;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.LifeCycle;
import org.jspecify.annotations.Nullable;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.machine.Machine;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.LogPosition;
import tidemark.statemachine.model.Outcome;

/**
 * What Ratis sees of a group's {@link Machine}.
 *
 * <p>Ratis replays exactly what follows {@link #getLatestSnapshot} at a start, so that is the machine's last durable checkpoint, and the
 * machine stands there when it is opened.
 *
 * <p>Threads: {@code applyTransaction}, {@code notifyTermIndexUpdated}, {@code takeSnapshot}, {@code reinitialize} and {@code close} are called
 * by one thread, the group's applier; the events by others, some with Ratis' locks held: they must return at once.
 */
final class GroupStateMachine extends BaseStateMachine {
    private final Context context;
    private final MachineHolder machine;

    /** What Ratis is told to be the last snapshot; follows the machine's checkpoint, except between an install and its reload. */
    private volatile @Nullable SnapshotInfo snapshot;

    /** Up to here entries are part of an installed snapshot, though Ratis may not know yet and still hand them over. */
    private volatile long installedIndex = -1;

    private volatile boolean reloadDue;
    private volatile long reloadDueSinceNanos;
    private @Nullable JournalTail tail;
    private final AtomicLong appliedCost = new AtomicLong();
    private final AtomicLong appliedEntries = new AtomicLong();

    /**
     * What a group's state machine works with.
     *
     * @param hooks the group
     */
    record Context(
            GroupId group,
            MachineFactory factory,
            RaftSettings settings,
            Failures failures,
            RaftMeter meter,
            LongSupplier nanoTime,
            Hooks hooks) {}

    /** What the group does on events. Must return at once. */
    interface Hooks {
        /** Applied, installed, or the leader changed. */
        void changed();

        /** The group's journal or machine failed; it will not go on. */
        void failed();

        /** A leader has purged what this replica needs. */
        CompletableFuture<@Nullable LogPosition> install(
                GroupStateMachine to, Optional<String> leaderId, LogPosition firstInJournal);
    }

    GroupStateMachine(Context context) {
        this.context = context;
        this.machine = new MachineHolder(context.group(), context.factory());
    }

    MachineHolder machine() {
        return machine;
    }

    // --- start and end ---

    @Override
    public void initialize(RaftServer server, RaftGroupId groupId, RaftStorage storage) throws IOException {
        super.initialize(server, groupId, storage);
        getLifeCycle().transition(LifeCycle.State.STARTING);
        try {
            machine.open();
            publish(machine.current().lastCheckpoint().orElse(LogPosition.NONE));
            LogPosition at = machine.current().applied();
            Directories.syncTree(storage.getStorageDir().getRoot().toPath());
            checkJournal(storage.getStorageDir().getCurrentDir().toPath());
            setLastAppliedTermIndex(TermIndex.valueOf(at.term(), at.index()));
        } catch (IOException | RuntimeException e) {
            context.failures().report(Optional.of(context.group()), "cannot be opened", e);
            closeMachine();
            throw e;
        }
        getLifeCycle().transition(LifeCycle.State.RUNNING);
    }

    private void checkJournal(Path directory) throws IOException {
        long checkpoint = checkpointIndex();
        JournalTail kept = new JournalTail(context.settings().journalBytesKept(), checkpoint);
        new JournalCheck(directory, RatisProperties.frameBytesMax(context.settings()))
                .run(checkpoint, (index, bytes) -> {
                    if (index <= checkpoint) {
                        kept.add(index, bytes); // the others come when they are applied
                    }
                });
        tail = kept;
    }

    @Override
    public void close() throws IOException {
        closeMachine();
        context.hooks().changed();
    }

    private void closeMachine() {
        try {
            machine.close();
        } catch (StorageException e) {
            // Nothing durable depends on the close; but the disk is not well.
            context.failures().report(Optional.of(context.group()), "closing the machine failed", e);
        }
    }

    // --- proposals ---

    @Override
    public TransactionContext startTransaction(RaftClientRequest request) throws IOException {
        if (!(request.getMessage() instanceof Proposal)) {
            throw new IOException("this group takes entries from its own process only");
        }
        return super.startTransaction(request);
    }

    @Override
    public TransactionContext preAppendTransaction(TransactionContext transaction) {
        Proposal proposal = proposalOf(transaction);
        if (proposal != null) {
            proposal.handToLog();
        }
        return transaction;
    }

    private static @Nullable Proposal proposalOf(TransactionContext transaction) {
        RaftClientRequest request = transaction.getClientRequest();
        return request != null && request.getMessage() instanceof Proposal p ? p : null;
    }

    // --- applying ---

    @Override
    public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
        LogEntryProto entry = transaction.getLogEntry();
        LogPosition at = new LogPosition(entry.getTerm(), entry.getIndex());
        ByteString data = entry.getStateMachineLogEntry().getLogData();
        Optional<List<Outcome>> outcomes = applyEntry(at, data);
        if (outcomes.isPresent()) {
            Proposal proposal = proposalOf(transaction);
            if (proposal != null) {
                proposal.applied(outcomes.get());
            }
            context.meter().applied(context.group(), data.size());
        }
        context.hooks().changed();
        return CompletableFuture.completedFuture(Message.EMPTY);
    }

    /** @return empty if an installed snapshot holds the entry already */
    private Optional<List<Outcome>> applyEntry(LogPosition at, ByteString data) {
        try {
            Optional<List<Outcome>> outcomes = machine.write(m -> at.index() <= installedIndex
                    ? Optional.empty()
                    : Optional.of(m.apply(at, data.asReadOnlyByteBuffer())));
            applied(at, data.size());
            return outcomes;
        } catch (StorageException | RuntimeException e) {
            throw applierFailed("applying entry " + at.index() + " failed", e);
        }
    }

    @Override
    public void notifyTermIndexUpdated(long term, long index) {
        LogPosition at = new LogPosition(term, index);
        try {
            machine.write(m -> {
                if (index > installedIndex) {
                    m.advance(at);
                }
                return at;
            });
            applied(at, 0);
        } catch (StorageException | RuntimeException e) {
            throw applierFailed("noting entry " + index + " failed", e);
        }
        context.hooks().changed();
    }

    private void applied(LogPosition at, int bytes) {
        updateLastAppliedTermIndex(at.term(), at.index());
        openTail().add(at.index(), bytes);
        appliedCost.addAndGet(bytes + (long) JournalTail.ENTRY_COST);
        appliedEntries.incrementAndGet();
    }

    /** The exception to throw, so that Ratis closes the group: it must not go on with a machine that did not take an entry. */
    private IllegalStateException applierFailed(String what, Exception cause) {
        context.failures().report(Optional.of(context.group()), what, cause);
        context.hooks().failed();
        return new IllegalStateException(what, cause);
    }

    private JournalTail openTail() {
        JournalTail t = tail;
        if (t == null) {
            throw new IllegalStateException("group " + context.group() + " is not open");
        }
        return t;
    }

    // --- checkpoints ---

    /** Bytes applied, with a cost for each entry, since this object was made; and entries. To decide about a checkpoint. */
    long appliedCost() {
        return appliedCost.get();
    }

    long appliedEntries() {
        return appliedEntries.get();
    }

    /** Whether anything was applied since the last durable checkpoint. */
    boolean changedSinceCheckpoint() {
        return getLastAppliedTermIndex().getIndex() > checkpointIndex();
    }

    @Override
    public @Nullable SnapshotInfo getLatestSnapshot() {
        return snapshot;
    }

    /**
     * Writes a checkpoint.
     *
     * @return how far Ratis may purge its log, which is less than the checkpoint: {@link JournalTail}. That is all it uses the answer for
     */
    @Override
    public long takeSnapshot() throws IOException {
        long started = context.nanoTime().getAsLong();
        try {
            LogPosition durable = machine.write(m -> reloadDue ? LogPosition.NONE : m.checkpoint());
            if (durable.index() < 0) {
                return JournalTail.NOTHING; // Ratis does not know yet how far the machine is
            }
            publish(durable);
            context.meter()
                    .checkpointWritten(context.group(), context.nanoTime().getAsLong() - started);
            return openTail().purgeable(durable.index());
        } catch (StorageException | RuntimeException e) {
            throw applierFailed("writing a checkpoint failed", e);
        }
    }

    private void publish(LogPosition at) {
        snapshot = at.index() < 0 ? null : new FileListSnapshotInfo(List.of(), at.term(), at.index());
    }

    private long checkpointIndex() {
        SnapshotInfo s = snapshot;
        return s == null ? -1 : s.getIndex();
    }

    // --- installing another replica's checkpoint ---

    @Override
    public CompletableFuture<@Nullable TermIndex> notifyInstallSnapshotFromLeader(
            RoleInfoProto role, TermIndex firstInLog) {
        String leader = role.getFollowerInfo().getLeaderInfo().getId().getId().toStringUtf8();
        return context.hooks()
                .install(
                        this,
                        leader.isEmpty() ? Optional.empty() : Optional.of(leader),
                        new LogPosition(firstInLog.getTerm(), firstInLog.getIndex()))
                .thenApply(at -> at == null ? null : TermIndex.valueOf(at.term(), at.index()));
    }

    /**
     * Switches to a fetched checkpoint, durably. Only afterwards Ratis may be told: it purges its log at once.
     *
     * <p>Ratis may hand over entries below it for a little longer; they are skipped.
     */
    LogPosition switchTo(SnapshotInstaller.Prepared prepared) throws StorageException {
        awaitReload();
        if (machine.replace(prepared, () -> installedIndex = prepared.position().index())) {
            context.hooks().changed();
            return prepared.position();
        }
        prepared.discard();
        return stayHere();
    }

    /** As {@link #switchTo}, where this replica is far enough already. */
    LogPosition stayHere() throws StorageException {
        awaitReload();
        return machine.write(Machine::checkpoint);
    }

    private void awaitReload() {
        reloadDueSinceNanos = context.nanoTime().getAsLong();
        reloadDue = true;
    }

    /** Whether Ratis was told of an installed snapshot this long ago and has not taken it up. */
    boolean reloadOverdue(long nowNanos, long limitNanos) {
        return reloadDue && nowNanos - reloadDueSinceNanos > limitNanos;
    }

    /** Ratis' announcement of {@link #reinitialize}; called with its lock held, while the applier may be applying. */
    @Override
    public void pause() {
        getLifeCycle().transition(LifeCycle.State.PAUSING);
        getLifeCycle().transition(LifeCycle.State.PAUSED);
    }

    /** After an install, on the applier: Ratis reads anew where the machine stands. */
    @Override
    public void reinitialize() throws IOException {
        getLifeCycle().transition(LifeCycle.State.STARTING);
        LogPosition at;
        try {
            // Where the machine was further than the snapshot, Ratis still purges up to that: what it holds must be
            // durable.
            at = machine.write(Machine::checkpoint);
        } catch (StorageException | RuntimeException e) {
            throw applierFailed("writing a checkpoint after an install failed", e);
        }
        publish(at);
        setLastAppliedTermIndex(TermIndex.valueOf(at.term(), at.index()));
        tail = new JournalTail(context.settings().journalBytesKept(), checkpointIndex());
        reloadDue = false;
        getLifeCycle().transition(LifeCycle.State.RUNNING);
        context.hooks().changed();
    }

    // --- events ---

    /** The journal could not be written. Ratis leaves the group behind as a ghost that votes but never acknowledges again. */
    @Override
    public void notifyLogFailed(Throwable cause, @Nullable LogEntryProto entry) {
        String where = entry == null ? "" : " at entry " + entry.getIndex();
        context.failures().report(Optional.of(context.group()), "writing the journal failed" + where, cause);
        context.hooks().failed();
    }

    @Override
    public void notifyLeaderChanged(RaftGroupMemberId member, RaftPeerId leader) {
        context.hooks().changed();
    }

    @Override
    public void notifyLeaderReady() {
        context.meter().leadershipChanged(context.group(), true);
        context.hooks().changed();
    }

    @Override
    public void notifyNotLeader(Collection<TransactionContext> pending) {
        context.meter().leadershipChanged(context.group(), false);
        context.hooks().changed();
    }

    /** Never asked: reads go to the machine. The superclass' version may wait for ever. */
    @Override
    public CompletableFuture<Message> queryStale(Message request, long minIndex) {
        return CompletableFuture.failedFuture(new UnsupportedOperationException("reads do not go through Raft"));
    }
}
