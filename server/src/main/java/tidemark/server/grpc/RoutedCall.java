package tidemark.server.grpc;

import static java.util.Objects.requireNonNull;

import com.google.protobuf.Message;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tidemark.server.batch.Futures;
import tidemark.server.raft.ProposalException;
import tidemark.server.raft.RaftHost.Member;
import tidemark.v1.ErrorReason;

/**
 * One call of a client: routes it by its first message, and gives it to one leg after another until one serves it.
 *
 * <pre>
 *   first message ─→ route ─→ leg here ─────────┬─ accepted ─→ served to its end
 *                      ↑  └─→ leg elsewhere ────┤
 *                      │                        └─ refused without effect: another server, or after a while the same
 *                      └───────────────────────────┘  (only the first server of a forwarded call does this)
 * </pre>
 *
 * <p>Threads: gRPC gives the client's events one at a time; legs report from any thread. The lock guards the state below and the
 * sending side of the call; no leg is called under it.
 */
final class RoutedCall<Q extends Message> extends ServerCall.Listener<byte[]> {
    private static final int ATTEMPTS_MAX = 64;
    private static final long FIRST_WAIT_MILLIS = 25;
    private static final long LONGEST_WAIT_MILLIS = 400;
    /** Left of the deadline when waiting for a leader is given up, so that the client still gets the answer. */
    private static final long ANSWER_MILLIS = 50;
    /** What those that can be answered here wait for a leader that knows better. */
    private static final long PATIENCE_ELSE_HERE_MILLIS = 1_000;

    private final RoutedMethod<Q> method;
    private final ServerCall<byte[], byte[]> call;
    private final CallHeaders headers;
    private final CallSupport support;
    private final Consumer<RoutedCall<?>> onEnd;
    private final Context context = Context.current();
    private final long startedNanos;

    // Guarded by this.
    private byte @Nullable [] first;
    private @Nullable Q request;
    private @Nullable Target target;
    private @Nullable Link link;
    private boolean halfClosed;
    private boolean accepted;
    private boolean ended;
    private boolean draining;
    private int attempts;
    private long waitMillis = FIRST_WAIT_MILLIS;
    private final Set<String> tried = new HashSet<>();
    private Optional<String> hint = Optional.empty();
    /** Why the server tried last did not serve the call, if it said more than that it does not lead. */
    private @Nullable StatusRuntimeException refusal;

    /** @param onEnd called once, when the call is over */
    RoutedCall(
            RoutedMethod<Q> method,
            ServerCall<byte[], byte[]> call,
            CallHeaders headers,
            CallSupport support,
            Consumer<RoutedCall<?>> onEnd) {
        this.method = method;
        this.call = call;
        this.headers = headers;
        this.support = support;
        this.onEnd = onEnd;
        this.startedNanos = support.time().monotonicNanos();
    }

    /** Asks for the first message. */
    void start() {
        support.metrics().callStarted(method.wire().getFullMethodName());
        // A client that sends one message must say that there is no other: that shows only when another is asked for.
        call.request(method.clientStreams() ? 1 : 2);
    }

    @Override
    public void onMessage(byte[] message) {
        guarded(() -> {
            if (message.length > support.settings().inboundMessageBytesMax()) {
                throw Errors.tooLarge(
                        "", "message bytes", message.length, support.settings().inboundMessageBytesMax());
            }
            if (takeFirst(message)) {
                if (method.clientStreams()) {
                    attempt();
                }
            } else {
                withLeg(leg -> leg.message(message));
            }
        });
    }

    private synchronized boolean takeFirst(byte[] message) {
        if (first != null) {
            return false;
        }
        first = message;
        return true;
    }

    @Override
    public void onHalfClose() {
        guarded(() -> {
            if (noteHalfClose()) {
                attempt();
            } else {
                withLeg(Leg::halfClose);
            }
        });
    }

    /** Whether the call can begin only now. */
    private synchronized boolean noteHalfClose() {
        if (first == null) {
            throw Errors.invalidField("", "", "the call has no message");
        }
        halfClosed = true;
        return !method.clientStreams();
    }

    @Override
    public void onReady() {
        guarded(() -> withLeg(Leg::ready));
    }

    @Override
    public void onCancel() {
        @Nullable Link current;
        synchronized (this) {
            current = link;
        }
        if (end(Status.CANCELLED, null)) {
            cancel(current);
        }
    }

    private void cancel(@Nullable Link link) {
        if (link != null) {
            link.leg().ifPresent(Leg::cancel);
        }
    }

    /** The server stops. */
    void drain() {
        synchronized (this) {
            draining = true;
            if (link != null && !link.started) {
                // The leg is told once it has started.
                return;
            }
        }
        guarded(() -> {
            if (!withLeg(Leg::drain)) {
                // Before or between attempts, so nothing was done.
                throw Errors.shuttingDown();
            }
        });
    }

    private void attempt() {
        guarded(() -> {
            Target to = parsed();
            Router.Decision decision;
            synchronized (this) {
                if (ended) {
                    return;
                }
                if (draining) {
                    throw Errors.shuttingDown();
                }
                attempts++;
                decision = support.router().decide(to, tried, hint);
                hint = Optional.empty();
            }
            follow(decision);
        });
    }

    private synchronized Target parsed() {
        if (target == null) {
            request = method.parse(requireNonNull(first));
            target = method.target().apply(request);
        }
        return target;
    }

    private void follow(Router.Decision decision) {
        if (decision instanceof Router.Local local) {
            serveHere(local.here());
        } else if (decision instanceof Router.Remote remote) {
            forward(remote.server());
        } else if (decision instanceof Router.Wait wait) {
            waitOrGiveUp(wait.error());
        } else if (decision instanceof Router.Fail fail) {
            throw fail.error();
        }
    }

    private void serveHere(Here here) {
        Link next = new Link(Optional.empty());
        run(next, method.handler().leg(requireNonNull(request), here, next));
    }

    private void forward(Member server) {
        boolean secondTry;
        synchronized (this) {
            secondTry = attempts > 1;
        }
        if (!headers.mayForward() || (headers.forwarded() && secondTry)) {
            if (headers.noForward() && parsed().elseHere()) {
                serveHere(support.router().here(parsed()));
                return;
            }
            throw Errors.notLeader(parsed().stream(), Optional.of(server));
        }
        Optional<io.grpc.ManagedChannel> channel = support.channels().to(server.id());
        if (channel.isEmpty()) {
            throw Errors.shuttingDown();
        }
        support.metrics().callForwarded(method.wire().getFullMethodName());
        Link next = new Link(Optional.of(server.id()));
        byte[] message = requireNonNull(first);
        run(next, new ForwardLeg(method, channel.get(), headers.next(), message, parsed().stream(), next));
    }

    private void run(Link next, Leg leg) {
        synchronized (this) {
            if (ended) {
                return;
            }
            next.leg = leg;
            link = next;
        }
        leg.start();
        boolean closed;
        boolean over;
        boolean stop;
        synchronized (this) {
            next.started = true;
            closed = halfClosed && method.clientStreams();
            over = ended;
            stop = draining;
        }
        if (over) {
            leg.cancel();
            return;
        }
        if (closed) {
            leg.halfClose();
        }
        if (stop) {
            leg.drain();
        }
    }

    private void waitOrGiveUp(StatusRuntimeException error) {
        long wait;
        synchronized (this) {
            wait = waitMillis;
            waitMillis = Math.min(LONGEST_WAIT_MILLIS, waitMillis * 2);
        }
        boolean last =
                headers.forwarded() || headers.noForward() || attempts() >= ATTEMPTS_MAX || wait > remainingMillis();
        if (!last) {
            synchronized (this) {
                tried.clear();
            }
            schedule(wait);
        } else if (parsed().elseHere() && !headers.forwarded()) {
            serveHere(support.router().here(parsed()));
        } else {
            @Nullable StatusRuntimeException known;
            synchronized (this) {
                known = refusal;
            }
            throw known == null ? error : known;
        }
    }

    private synchronized int attempts() {
        return attempts;
    }

    private void schedule(long millis) {
        support.timer().after(millis, this::again);
    }

    private void again() {
        try {
            support.executor().execute(context.wrap(this::attempt));
        } catch (RejectedExecutionException stopping) {
            close(Errors.shuttingDown());
        }
    }

    /** How long the call may still wait for a leader. */
    private long remainingMillis() {
        long patience = parsed().elseHere()
                ? PATIENCE_ELSE_HERE_MILLIS
                : support.settings().routingPatience().toMillis();
        long left = patience - TimeUnit.NANOSECONDS.toMillis(support.time().monotonicNanos() - startedNanos);
        @Nullable Deadline deadline = context.getDeadline();
        return deadline == null ? left : Math.min(left, deadline.timeRemaining(TimeUnit.MILLISECONDS) - ANSWER_MILLIS);
    }

    /** Whether there was a leg that could be told. */
    private boolean withLeg(Consumer<Leg> action) {
        @Nullable Link current;
        synchronized (this) {
            current = link;
            if (current == null || !current.started) {
                return false;
            }
        }
        current.leg().ifPresent(action);
        return true;
    }

    /** Whatever goes wrong in an event ends the call with an error that says so. */
    private void guarded(Runnable event) {
        try {
            event.run();
        } catch (RuntimeException failure) {
            @Nullable Link current;
            synchronized (this) {
                current = link;
            }
            close(Failures.of(failure, streamName(), support.router()::member));
            cancel(current);
        }
    }

    private synchronized String streamName() {
        return target == null ? "" : target.stream();
    }

    private void close(StatusRuntimeException error) {
        Metadata trailers = error.getTrailers();
        end(error.getStatus(), trailers == null ? new Metadata() : trailers);
    }

    /**
     * @param trailers null if the client is gone
     * @return whether it had not ended before
     */
    private boolean end(Status status, @Nullable Metadata trailers) {
        synchronized (this) {
            if (ended) {
                return false;
            }
            ended = true;
            link = null;
            if (trailers != null) {
                call.close(status, trailers);
            }
        }
        Optional<String> reason = trailers == null
                ? Optional.empty()
                : Errors.detail(status, trailers).map(detail -> Errors.name(detail.getReason()));
        support.metrics()
                .callEnded(
                        method.wire().getFullMethodName(),
                        status.getCode().name(),
                        reason,
                        support.time().monotonicNanos() - startedNanos);
        onEnd.accept(this);
        return true;
    }

    /** The client as one leg sees it. */
    private final class Link implements Downstream {
        /** The server asked; empty if this one. */
        private final Optional<String> server;

        // Guarded by the call.
        private @Nullable Leg leg;
        private boolean started;

        Link(Optional<String> server) {
            this.server = server;
        }

        Optional<Leg> leg() {
            synchronized (RoutedCall.this) {
                return Optional.ofNullable(leg);
            }
        }

        @Override
        public void accept() {
            synchronized (RoutedCall.this) {
                if (link != this || accepted) {
                    return;
                }
                accepted = true;
                call.sendHeaders(new Metadata());
            }
            server.ifPresent(id -> support.router().served(parsed(), id));
        }

        @Override
        public boolean isReady() {
            return call.isReady();
        }

        @Override
        public void send(byte[] message) {
            accept();
            synchronized (RoutedCall.this) {
                if (link == this) {
                    call.sendMessage(message);
                }
            }
        }

        @Override
        public void request(int messages) {
            synchronized (RoutedCall.this) {
                if (link != this) {
                    return;
                }
            }
            // Not under the lock: a transport within the process may deliver at once.
            call.request(messages);
        }

        @Override
        public void finish() {
            accept();
            synchronized (RoutedCall.this) {
                if (link != this) {
                    return;
                }
            }
            end(Status.OK, new Metadata());
        }

        @Override
        public void fail(Throwable failure) {
            StatusRuntimeException error = Failures.of(failure, streamName(), support.router()::member);
            if (Failures.isElsewhere(failure) && Futures.unwrapped(failure) instanceof ProposalException proposal) {
                elsewhere(error, proposal.leaderId());
            } else if (current()) {
                close(error);
            }
        }

        @Override
        public void elsewhere(StatusRuntimeException error, Optional<String> leaderId) {
            boolean again;
            synchronized (RoutedCall.this) {
                if (link != this) {
                    return;
                }
                again = !accepted
                        && !headers.forwarded()
                        && !headers.noForward()
                        && !draining
                        && attempts < ATTEMPTS_MAX;
                if (again) {
                    link = null;
                    tried.add(server.orElseGet(() -> support.router().selfId()));
                    hint = leaderId;
                    refusal = saysNoMoreThanNotLeader(error) ? refusal : error;
                }
            }
            if (again) {
                again();
            } else {
                close(error);
            }
        }

        private boolean saysNoMoreThanNotLeader(StatusRuntimeException error) {
            return Errors.detail(error)
                    .filter(detail -> detail.getReason() == ErrorReason.ERROR_REASON_NOT_LEADER)
                    .isPresent();
        }

        private boolean current() {
            synchronized (RoutedCall.this) {
                return link == this;
            }
        }
    }
}
