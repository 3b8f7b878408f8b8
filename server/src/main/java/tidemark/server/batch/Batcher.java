package tidemark.server.batch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import tidemark.server.raft.HostedGroup;
import tidemark.server.raft.ProposalException;
import tidemark.server.raft.ProposalException.Kind;
import tidemark.statemachine.model.Outcome;

/**
 * Joins the operations of one group into entries, while earlier entries are in flight.
 *
 * <p>Order: operations go into entries, and entries into the log, in the order in which they were submitted.
 *
 * <p>Threads: any thread may submit. Work is done in <em>turns</em>, one at a time, by whichever thread found none running: it moves
 * what was submitted and what came back from two queues into plain fields ({@code pending}, {@code inFlight}) that only turns touch,
 * then proposes. So no thread is needed for a group, and none waits for another. Futures complete on the callback executor.
 *
 * <p>Failures: an entry without outcome fails its operations with its {@link ProposalException}, and fails their lanes. As long as an
 * entry is in flight, the next one is only proposed while the leader's term is the same and none in flight has failed: else an
 * operation could be written although one before it in its lane was lost.
 */
public final class Batcher {
    private final HostedGroup group;
    private final BatchLimits limits;
    private final ServerTime time;
    private final Executor callbacks;
    private final BatchMetrics metrics;
    private final PendingBudget serverBudget;
    private final PendingBudget groupBudget;

    private final ConcurrentLinkedQueue<Pending> submitted = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<CompletableFuture<Void>> barriersAsked = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<InFlight> returned = new ConcurrentLinkedQueue<>();
    /** Above 0 while a turn runs: the number of times that one was asked for. */
    private final AtomicInteger turnsAsked = new AtomicInteger();

    // Touched by turns only.
    private final ArrayDeque<Pending> pending = new ArrayDeque<>();
    private final List<InFlight> inFlight = new ArrayList<>();

    Batcher(
            HostedGroup group,
            BatchLimits limits,
            ServerTime time,
            Executor callbacks,
            BatchMetrics metrics,
            PendingBudget serverBudget) {
        this.group = group;
        this.limits = limits;
        this.time = time;
        this.callbacks = callbacks;
        this.metrics = metrics;
        this.serverBudget = serverBudget;
        this.groupBudget = new PendingBudget(limits.groupBytesMax());
    }

    HostedGroup group() {
        return group;
    }

    /** {@link #submit(Operation, Lane, BooleanSupplier)} of an operation that stands for itself. */
    public CompletableFuture<Outcome> submit(Operation operation, BooleanSupplier abandoned) {
        return submit(operation, new Lane(), abandoned);
    }

    /**
     * Puts an operation at the end of the queue.
     *
     * @param lane what the operation belongs to
     * @param abandoned whether nobody waits for the outcome any more (deadline passed, call cancelled); asked when the operation's
     *     turn comes
     * @return the outcome once applied; or fails with a {@link ProposalException} (of kind OVERLOADED at once if too much waits), or
     *     with an {@link AbandonedException} if it was dropped before it was put into an entry
     */
    public CompletableFuture<Outcome> submit(Operation operation, Lane lane, BooleanSupplier abandoned) {
        Pending added = new Pending(operation, lane, abandoned);
        if (!groupBudget.tryAcquire(added.bytes())) {
            return overloaded(lane, "too much waits to be written to this stream's group");
        }
        if (!serverBudget.tryAcquire(added.bytes())) {
            groupBudget.release(added.bytes());
            return overloaded(lane, "too much waits to be written on this server");
        }
        submitted.add(added);
        runTurns();
        return added.outcome;
    }

    /**
     * Proves that this server leads: completes once an entry that was proposed after this call has been applied. Calls that wait
     * together share one entry. Fails with a {@link ProposalException}.
     */
    public CompletableFuture<Void> barrier() {
        CompletableFuture<Void> passed = new CompletableFuture<>();
        barriersAsked.add(passed);
        runTurns();
        return passed;
    }

    /** Bytes of operations that wait or are in flight. */
    public long pendingBytes() {
        return groupBudget.used();
    }

    private static CompletableFuture<Outcome> overloaded(Lane lane, String message) {
        lane.fail();
        return CompletableFuture.failedFuture(new ProposalException(Kind.OVERLOADED, message, Optional.empty()));
    }

    private void runTurns() {
        if (turnsAsked.getAndIncrement() != 0) {
            return;
        }
        int served = 1;
        do {
            turn();
            served = turnsAsked.addAndGet(-served);
        } while (served != 0);
    }

    private void turn() {
        for (InFlight entry = returned.poll(); entry != null; entry = returned.poll()) {
            inFlight.remove(entry);
        }
        for (Pending added = submitted.poll(); added != null; added = submitted.poll()) {
            pending.add(added);
        }
        while (mayPropose()) {
            dropRefused();
            int count = BatchPolicy.take(pending, inFlight.size(), limits);
            if (count == 0 && barriersAsked.isEmpty()) {
                return;
            }
            propose(take(count), takeBarriers());
        }
    }

    /** Whether the window has room, and nothing in flight is known to be lost. */
    private boolean mayPropose() {
        if (inFlight.size() >= limits.entriesInFlight()) {
            return false;
        }
        if (inFlight.isEmpty()) {
            return true;
        }
        long term = group.leadership().term();
        for (InFlight entry : inFlight) {
            // A failed one is about to return, which asks for another turn; so is one of an older term.
            if (entry.term != term || entry.outcomes.isCompletedExceptionally()) {
                return false;
            }
        }
        return true;
    }

    /** Removes what waits in vain. Looks only at what could go into one entry, so that a turn does not cost the whole queue. */
    private void dropRefused() {
        int looked = 0;
        for (Iterator<Pending> waiting = pending.iterator();
                waiting.hasNext() && looked < limits.entryCommandsMax();
                looked++) {
            Pending next = waiting.next();
            @Nullable Exception refusal = next.refusal();
            if (refusal != null) {
                waiting.remove();
                next.lane.fail();
                release(next);
                run(() -> next.outcome.completeExceptionally(refusal));
            }
        }
    }

    private List<Pending> take(int count) {
        List<Pending> taken = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            taken.add(pending.remove());
        }
        return taken;
    }

    private List<CompletableFuture<Void>> takeBarriers() {
        List<CompletableFuture<Void>> taken = new ArrayList<>();
        for (CompletableFuture<Void> next = barriersAsked.poll(); next != null; next = barriersAsked.poll()) {
            taken.add(next);
        }
        return taken;
    }

    private void propose(List<Pending> operations, List<CompletableFuture<Void>> barriers) {
        List<Operation> commands = new ArrayList<>(operations.size());
        for (Pending each : operations) {
            commands.add(each.operation);
        }
        byte[] entry = EntryEncoder.encode(time.wallMillis(), commands);
        // The term is read before the entry is handed over: if it changes in between, the entry counts as one of the
        // older term,
        // and nothing follows it until it has returned.
        long term = group.leadership().term();
        long started = time.monotonicNanos();
        CompletableFuture<List<Outcome>> outcomes = hand(entry);
        metrics.entryProposed(Math.max(1, commands.size()), entry.length);
        InFlight added = new InFlight(operations, barriers, term, started, outcomes);
        inFlight.add(added);
        // Completed by Raft's threads, which must not be held up.
        Futures.whenDone(outcomes, (results, failure) -> run(() -> complete(added, results, failure)));
    }

    /** A turn must go on whatever happens below it: else the group would be stuck for ever. */
    private CompletableFuture<List<Outcome>> hand(byte[] entry) {
        try {
            return group.propose(entry);
        } catch (RuntimeException defect) {
            return CompletableFuture.failedFuture(defect);
        }
    }

    private void complete(InFlight entry, @Nullable List<Outcome> results, @Nullable Throwable failure) {
        Throwable problem = failure;
        if (results != null && !entry.operations.isEmpty() && results.size() != entry.operations.size()) {
            problem = new IllegalStateException(
                    "an entry of " + entry.operations.size() + " commands had " + results.size() + " outcomes");
        }
        if (problem != null) {
            // Before the next turn, so that nothing of these lanes goes into another entry.
            entry.operations.forEach(operation -> operation.lane.fail());
        }
        entry.operations.forEach(this::release);
        metrics.entryCompleted(time.monotonicNanos() - entry.startedNanos, problem == null);
        returned.add(entry);
        runTurns();
        if (problem != null || results == null) {
            entry.fail(problem == null ? new IllegalStateException("an entry came back without outcomes") : problem);
        } else {
            entry.succeed(results);
        }
    }

    private void release(Pending operation) {
        groupBudget.release(operation.bytes());
        serverBudget.release(operation.bytes());
    }

    private void run(Runnable callback) {
        try {
            callbacks.execute(callback);
        } catch (RejectedExecutionException stopping) {
            // The server is at its very end; whoever waits must still be told.
            callback.run();
        }
    }

    /** An operation that waits for its entry. */
    private static final class Pending implements BatchPolicy.Sized {
        private final Operation operation;
        private final Lane lane;
        private final BooleanSupplier abandoned;
        private final int bytes;
        private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();

        Pending(Operation operation, Lane lane, BooleanSupplier abandoned) {
            this.operation = operation;
            this.lane = lane;
            this.abandoned = abandoned;
            int body = operation instanceof Operation.Append append
                    ? append.batch().body().remaining()
                    : 0;
            this.bytes = body + BatchPolicy.COMMAND_OVERHEAD_BYTES;
        }

        @Override
        public int bytes() {
            return bytes;
        }

        /** Why this must not go into an entry; null if it may. */
        @Nullable Exception refusal() {
            if (lane.failed()) {
                return new AbandonedException("an earlier operation of the same session failed");
            }
            if (abandoned.getAsBoolean()) {
                return new AbandonedException("the call ended before the operation's turn came");
            }
            return null;
        }
    }

    /** An entry whose outcome is awaited. */
    private record InFlight(
            List<Pending> operations,
            List<CompletableFuture<Void>> barriers,
            long term,
            long startedNanos,
            CompletableFuture<List<Outcome>> outcomes) {
        void succeed(List<Outcome> results) {
            for (int i = 0; i < operations.size(); i++) {
                operations.get(i).outcome.complete(results.get(i));
            }
            barriers.forEach(barrier -> barrier.complete(null));
        }

        void fail(Throwable problem) {
            operations.forEach(operation -> operation.outcome.completeExceptionally(problem));
            barriers.forEach(barrier -> barrier.completeExceptionally(problem));
        }

        // Identity: two entries are never the same one.
        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }
}
