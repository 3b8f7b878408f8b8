package tidemark.client;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import tidemark.client.CallFailure.Kind;
import tidemark.v1.AppendResponse;
import tidemark.v1.AppendSessionRequest;
import tidemark.v1.AppendSessionResponse;
import tidemark.v1.LogServiceGrpc;

/**
 * An appender over {@code AppendSession} calls, one at a time.
 *
 * <pre>
 *  add ─► waiting ──BatchPolicy──► batches: [ sent in this session | not yet sent ] ─► acknowledged
 *                                             └── after a definite failure all count as not sent: the next session
 *                                                 begins with the oldest
 * </pre>
 *
 * As an idempotent writer it may send again what may have been written: the stream recognises it by its sequence. Else such a
 * doubt breaks it.
 *
 * <p>Everything is guarded by {@code lock}; futures complete after it is released. A batch that was given to gRPC counts as sent,
 * though it may not have left this machine: only an answer that says "not written" takes that back.
 */
final class SessionAppender implements Appender {
    /** Counted for each held record beside its encoding: objects around it. */
    private static final int RECORD_OVERHEAD_BYTES = 64;

    private static final int WRITER_ID_BYTES = 16;

    private final ClientCore core;
    private final String stream;
    private final AppenderOptions options;
    private final BatchPolicy policy;
    private final CallPath path;
    private final Backoff backoff;
    private final Runnable ending = this::abort;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition spaceOrFailure = lock.newCondition();
    private final ArrayDeque<AppendBatch.Add> waiting = new ArrayDeque<>();
    private final List<AppendBatch> batches = new ArrayList<>();
    private final ArrayDeque<Flush> flushes = new ArrayDeque<>();
    private List<Runnable> completions = new ArrayList<>();

    /** The first so many batches went out in the present session. */
    private int sent;

    /** The first so many batches went out in earlier sessions whose ends left open whether they are written. */
    private int doubtful;

    /** Who appends, if repeats are to be recognised; empty if not. */
    private ByteString writerId = ByteString.EMPTY;

    /** This writer's sequence of the first batch, or of the next one to be formed if there is none. */
    private long headSequence;

    private long waitingRecords;
    private long waitingBytes;
    private long heldBytes;
    private long addsTaken;
    private long addsAcked;
    private long recordsTaken;
    private long recordsAcked;
    private long recordsUnknown;
    private long ackedEnd = -1;
    private @Nullable Session session;
    private boolean pausing;
    private boolean closing;
    private @Nullable TidemarkException failure;

    /** When something was last acknowledged, or the first record came after a time without any. */
    private long progressNanos;

    private ClientWorld.@Nullable Timer watchdog;

    /** Waits until so many adds are acknowledged. */
    private record Flush(long adds, CompletableFuture<Void> future) {}

    private SessionAppender(ClientCore core, String stream, AppenderOptions options) {
        this.core = core;
        this.stream = stream;
        this.options = options;
        this.policy = new BatchPolicy(options);
        this.path = new CallPath(core.router(), CallPath.Target.leaderOf(stream));
        this.backoff = new Backoff(core.options(), core.world());
        becomeNewWriter();
    }

    private void becomeNewWriter() {
        headSequence = 0;
        writerId = options.idempotent()
                ? ByteString.copyFrom(core.world().randomBytes(WRITER_ID_BYTES))
                : ByteString.EMPTY;
    }

    static SessionAppender open(ClientCore core, String stream, AppenderOptions options) {
        SessionAppender appender = new SessionAppender(core, stream, options);
        if (!core.register(appender.ending)) {
            throw ClientCore.closed(stream);
        }
        return appender;
    }

    // ---- taking records

    @Override
    public CompletableFuture<AppendResult> add(List<LogRecord> records) {
        AppendBatch.Add add = AppendBatch.Add.of(records, RecordLimits.check(stream, records));
        lock.lock();
        try {
            requireOpen();
            while (!hasSpace(add)) {
                spaceOrFailure.await();
                requireOpen();
            }
            take(add);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new TidemarkException.Closed(
                    stream, "interrupted while the buffer was full; nothing added", interrupted);
        } finally {
            unlock();
        }
        return add.future();
    }

    @Override
    public Optional<CompletableFuture<AppendResult>> tryAdd(List<LogRecord> records) {
        AppendBatch.Add add = AppendBatch.Add.of(records, RecordLimits.check(stream, records));
        lock.lock();
        try {
            requireOpen();
            if (!hasSpace(add)) {
                return Optional.empty();
            }
            take(add);
        } finally {
            unlock();
        }
        return Optional.of(add.future());
    }

    private void requireOpen() {
        if (failure instanceof TidemarkException.Closed || (closing && failure == null)) {
            throw new TidemarkException.Closed(stream, "the appender is closed", failure);
        }
        if (failure != null) {
            throw new TidemarkException.NotSent(stream, "the appender is broken: " + failure.getMessage(), failure);
        }
    }

    private boolean hasSpace(AppendBatch.Add add) {
        return heldBytes == 0 || heldBytes + cost(add) <= options.maxBufferedBytes();
    }

    private static long cost(AppendBatch.Add add) {
        return add.bytes() + (long) RECORD_OVERHEAD_BYTES * add.records().size();
    }

    private void take(AppendBatch.Add add) {
        if (heldBytes == 0) {
            progressNanos = core.world().nanoTime();
        }
        waiting.add(add);
        waitingRecords += add.records().size();
        waitingBytes += add.bytes();
        heldBytes += cost(add);
        recordsTaken += add.records().size();
        addsTaken++;
        armWatchdog();
        pump();
    }

    // ---- sending

    /** Sends what can be sent now. */
    private void pump() {
        if (failure != null || pausing || (batches.isEmpty() && waiting.isEmpty())) {
            return;
        }
        Session current = session;
        if (current == null) {
            current = openSession();
        }
        while (current != null && current.call.isReady()) {
            if (sent == batches.size() && !formBatch()) {
                return;
            }
            current.call.sendMessage(batches.get(sent).request());
            sent++;
        }
    }

    /** Moves waiting adds into a new batch. Answers false if none is to leave now. */
    private boolean formBatch() {
        if (!policy.leaves(waitingRecords, waitingBytes, batches.size())) {
            return false;
        }
        AppendBatch batch = new AppendBatch();
        AppendBatch.Add next = waiting.peek();
        while (next != null
                && (batch.recordCount() == 0
                        || policy.fits(
                                batch.recordCount(),
                                batch.bytes(),
                                next.records().size(),
                                next.bytes()))) {
            waiting.remove();
            waitingRecords -= next.records().size();
            waitingBytes -= next.bytes();
            batch.join(next);
            next = waiting.peek();
        }
        batches.add(batch);
        return true;
    }

    private @Nullable Session openSession() {
        Route route = path.next(core.world().nanoTime());
        if (route == null) {
            throw new IllegalStateException("a round begins with a route");
        }
        ClientCall<AppendSessionRequest, AppendSessionResponse> call =
                core.newCall(route, LogServiceGrpc.getAppendSessionMethod(), CallOptions.DEFAULT);
        if (call == null) {
            fail(ClientCore.closed(stream));
            return null;
        }
        sent = 0;
        Session opened = new Session(route, call);
        session = opened;
        call.start(opened, ClientCore.headers(route));
        call.request(Integer.MAX_VALUE); // one small answer for each of a bounded number of batches
        call.sendMessage(AppendSessionRequest.newBuilder()
                .setOpen(AppendSessionRequest.Open.newBuilder()
                        .setStream(stream)
                        .setWriterId(writerId)
                        .setFirstSequence(writerId.isEmpty() ? 0 : headSequence))
                .build());
        return opened;
    }

    /** One call. Its callbacks come one at a time, on gRPC's threads. */
    private final class Session extends ClientCall.Listener<AppendSessionResponse> {
        private final Route route;
        private final ClientCall<AppendSessionRequest, AppendSessionResponse> call;
        private boolean answered;

        Session(Route route, ClientCall<AppendSessionRequest, AppendSessionResponse> call) {
            this.route = route;
            this.call = call;
        }

        @Override
        public void onReady() {
            lock.lock();
            try {
                if (session == this) {
                    pump();
                }
            } finally {
                unlock();
            }
        }

        @Override
        public void onMessage(AppendSessionResponse message) {
            lock.lock();
            try {
                if (session == this && failure == null) {
                    acknowledged(this, message.getAppended());
                }
            } finally {
                unlock();
            }
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            lock.lock();
            try {
                if (session == this) {
                    session = null;
                    ended(this, status, trailers);
                }
            } finally {
                unlock();
            }
        }
    }

    // ---- what comes back

    private void acknowledged(Session from, AppendResponse response) {
        AppendBatch batch = sent == 0 ? null : batches.get(0);
        if (batch == null
                || response.getEndOffset() - response.getBaseOffset() != batch.recordCount()
                || response.getBaseOffset() < ackedEnd) {
            fail(new TidemarkException.Indeterminate(
                    Reason.INTERNAL,
                    stream,
                    from.route.endpoint() + " answered offsets " + response.getBaseOffset() + " to "
                            + response.getEndOffset() + " to " + (batch == null ? 0 : batch.recordCount())
                            + " records after " + ackedEnd + ": a defect of the server",
                    null));
            return;
        }
        if (!from.answered) {
            from.answered = true;
            path.succeeded(from.route);
            completions.add(core::answered);
        }
        backoff.reset();
        batches.remove(0);
        sent--;
        doubtful = Math.max(0, doubtful - 1);
        headSequence++;
        progressNanos = core.world().nanoTime();
        ackedEnd = response.getEndOffset();
        recordsAcked += batch.recordCount();
        for (AppendBatch.Add add : batch.adds()) {
            heldBytes -= cost(add);
            addsAcked++;
        }
        completions.add(() -> batch.succeed(Protos.appended(response)));
        while (!flushes.isEmpty() && flushes.element().adds() <= addsAcked) {
            CompletableFuture<Void> flushed = flushes.remove().future();
            completions.add(() -> flushed.complete(null));
        }
        spaceOrFailure.signalAll();
        pump();
    }

    private void ended(Session from, Status status, Metadata trailers) {
        if (failure != null) {
            return;
        }
        Status meaning = status.isOk() ? Status.UNAVAILABLE.withDescription("the server ended the session") : status;
        CallFailure failed = Failures.of(meaning, trailers, stream, from.route.endpoint(), true, sent > 0);
        doubtful = failed.kind() == Kind.UNKNOWN ? Math.max(doubtful, sent) : doubtful;
        sent = 0;
        long now = core.world().nanoTime();
        CallPath.Next next = path.failed(from.route, failed, now);
        if (failed.kind() == Kind.UNREACHABLE || failed.kind() == Kind.UNKNOWN) {
            core.failed();
        }
        if (batches.isEmpty() && waiting.isEmpty()) {
            path.newRound(); // nobody waits for it; the next record opens another session
            return;
        }
        if (failed.exception().reason() == Reason.UNKNOWN_WRITER && doubtful == 0 && headSequence > 0) {
            becomeNewWriter(); // forgotten among too many writers; all it wrote is acknowledged, so nothing can be
            // repeated
            pump();
            return;
        }
        if (failed.kind() == Kind.REJECTED
                || failed.exception().reason() == Reason.SEQUENCE_EXPIRED
                || (doubtful > 0 && writerId.isEmpty())) {
            fail(failed.exception());
            return;
        }
        boolean roundGoesOn = next == CallPath.Next.NOW && path.next(now) != null;
        long pause = roundGoesOn ? 0 : backoff.nextNanos(failed.retryAfterNanos());
        if (now + pause - giveUpNanos() >= 0) {
            fail(failed.exception());
        } else if (roundGoesOn) {
            pump();
        } else {
            path.newRound();
            pausing = true;
            core.world().schedule(pause, this::endPause);
        }
    }

    private void endPause() {
        lock.lock();
        try {
            pausing = false;
            pump();
        } finally {
            unlock();
        }
    }

    // ---- giving up

    private long giveUpNanos() {
        return progressNanos + core.options().requestTimeout().toNanos();
    }

    private void armWatchdog() {
        if (watchdog == null && heldBytes > 0 && failure == null) {
            long wait = giveUpNanos() - core.world().nanoTime();
            watchdog = core.world().schedule(wait, this::checkProgress);
        }
    }

    private void checkProgress() {
        lock.lock();
        try {
            watchdog = null;
            if (heldBytes > 0 && failure == null && core.world().nanoTime() - giveUpNanos() >= 0) {
                String text = "nothing was acknowledged for " + core.options().requestTimeout();
                fail(
                        sent > 0
                                ? new TidemarkException.Indeterminate(Reason.TIMEOUT, stream, text, null)
                                : new TidemarkException.Unavailable(Reason.TIMEOUT, stream, text, null));
            }
            armWatchdog();
        } finally {
            unlock();
        }
    }

    /** Breaks the appender: says of each record which it is. */
    private void fail(TidemarkException cause) {
        if (failure != null) {
            return;
        }
        int unknownBatches = Math.max(doubtful, cause instanceof TidemarkException.Indeterminate ? sent : 0);
        TidemarkException exception = truth(cause, unknownBatches > 0);
        failure = exception;
        TidemarkException behind =
                new TidemarkException.NotSent(stream, "not written, since an append before it failed", exception);
        TidemarkException first = unknownBatches > 0 ? behind : exception;
        for (int i = 0; i < batches.size(); i++) {
            AppendBatch batch = batches.get(i);
            TidemarkException outcome = i < unknownBatches ? exception : i == 0 ? first : behind;
            recordsUnknown += i < unknownBatches ? batch.recordCount() : 0;
            completions.add(() -> batch.fail(outcome));
        }
        boolean headWaits = batches.isEmpty();
        for (AppendBatch.Add add : waiting) {
            TidemarkException outcome = headWaits ? first : behind;
            headWaits = false;
            completions.add(() -> add.future().completeExceptionally(outcome));
        }
        for (Flush flush : flushes) {
            completions.add(() -> flush.future().completeExceptionally(exception));
        }
        stop();
    }

    /** Whether anything is unknown is decided by what was sent, not by how the last attempt failed. */
    private TidemarkException truth(TidemarkException cause, boolean unknown) {
        if (unknown == cause instanceof TidemarkException.Indeterminate) {
            return cause;
        }
        return unknown
                ? new TidemarkException.Indeterminate(
                        cause.reason(),
                        stream,
                        "some may or may not have been written, and repeating them failed: " + cause.getMessage(),
                        cause)
                : new TidemarkException.Unavailable(cause.reason(), stream, "not sent: " + cause.getMessage(), cause);
    }

    private void stop() {
        batches.clear();
        waiting.clear();
        flushes.clear();
        sent = 0;
        doubtful = 0;
        heldBytes = 0;
        Session current = session;
        session = null;
        if (current != null) {
            current.call.cancel("the appender stopped", null);
        }
        if (watchdog != null) {
            watchdog.cancel();
            watchdog = null;
        }
        spaceOrFailure.signalAll();
        completions.add(() -> core.unregister(ending));
    }

    // ---- waiting and ending

    @Override
    public CompletableFuture<Void> flushAsync() {
        CompletableFuture<Void> flushed = new CompletableFuture<>();
        lock.lock();
        try {
            if (addsAcked == addsTaken) {
                flushed.complete(null);
            } else if (failure != null) {
                flushed.completeExceptionally(failure);
            } else {
                flushes.add(new Flush(addsTaken, flushed));
            }
        } finally {
            unlock();
        }
        return flushed;
    }

    @Override
    public AppenderReport report() {
        lock.lock();
        try {
            long open = recordsTaken - recordsAcked - recordsUnknown;
            return new AppenderReport(
                    recordsAcked,
                    recordsUnknown,
                    failure == null ? 0 : open,
                    failure == null ? open : 0,
                    ackedEnd,
                    closedInPeace() ? Optional.empty() : Optional.ofNullable(failure));
        } finally {
            unlock();
        }
    }

    private boolean closedInPeace() {
        return failure instanceof TidemarkException.Closed && recordsAcked == recordsTaken;
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closing = true;
            spaceOrFailure.signalAll();
        } finally {
            unlock();
        }
        try {
            flush();
        } finally {
            end();
        }
    }

    /** After a flush nothing is held and the session ends in peace; after an interrupt the rest is given up. */
    private void end() {
        lock.lock();
        try {
            if (failure == null && heldBytes == 0) {
                Session current = session;
                session = null;
                if (current != null) {
                    current.call.halfClose();
                }
                failure = new TidemarkException.Closed(stream, "the appender is closed", null);
                stop();
            }
        } finally {
            unlock();
        }
        abort();
    }

    @Override
    public void abort() {
        lock.lock();
        try {
            String text = "the appender was stopped before the answer";
            fail(
                    sent > 0
                            ? new TidemarkException.Indeterminate(Reason.CLOSED, stream, text, null)
                            : new TidemarkException.Closed(stream, text, null));
        } finally {
            unlock();
        }
    }

    /** Releases the lock and completes what was decided under it. */
    private void unlock() {
        if (lock.getHoldCount() > 1 || completions.isEmpty()) {
            lock.unlock();
            return;
        }
        List<Runnable> decided = completions;
        completions = new ArrayList<>();
        lock.unlock();
        decided.forEach(Runnable::run);
    }
}
