package tidemark.client;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One call with one answer, repeated as far as that is safe until its time is over. Attempts follow each other, so the fields
 * are used by one thread at a time; what hands over between threads is gRPC's or the timer's start of the next step.
 */
final class UnaryCall<Q, R, T> {
    /** What repetition does. */
    enum Repeat {
        /** Nothing is written. */
        READ,
        /** Written twice is the same as written once. */
        SAFE_WRITE,
        /** Only attempts that are definitely not written are repeated. */
        WRITE
    }

    private final ClientCore core;
    private final MethodDescriptor<Q, R> method;
    private final Q request;
    private final CallPath.Target target;
    private final Repeat repeat;
    private final CallPath path;
    private final Backoff backoff;
    private final long deadlineNanos;
    private final Function<R, T> meaning;
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final Runnable ending = this::abandon;

    /** Guards what {@link #abandon} shares with the attempts. */
    private final Object lock = new Object();

    private @Nullable ClientCall<Q, R> call;
    private boolean abandoned;
    private boolean pausing;
    private volatile @Nullable TidemarkException unknown;

    private UnaryCall(
            ClientCore core,
            MethodDescriptor<Q, R> method,
            Q request,
            CallPath.Target target,
            Repeat repeat,
            Function<R, T> meaning) {
        this.core = core;
        this.method = method;
        this.request = request;
        this.target = target;
        this.repeat = repeat;
        this.meaning = meaning;
        this.path = new CallPath(core.router(), target);
        this.backoff = new Backoff(core.options(), core.world());
        this.deadlineNanos =
                core.world().nanoTime() + core.options().requestTimeout().toNanos();
    }

    /**
     * Starts a call.
     *
     * @param meaning what the caller gets from an answer; must not throw
     */
    static <Q, R, T> CompletableFuture<T> start(
            ClientCore core,
            MethodDescriptor<Q, R> method,
            Q request,
            CallPath.Target target,
            Repeat repeat,
            Function<R, T> meaning) {
        UnaryCall<Q, R, T> unary = new UnaryCall<>(core, method, request, target, repeat, meaning);
        if (core.register(unary.ending)) {
            unary.attempt();
        } else {
            unary.result.completeExceptionally(ClientCore.closed(target.stream()));
        }
        return unary.result;
    }

    private void attempt() {
        long now = core.world().nanoTime();
        long remaining = deadlineNanos - now;
        Route route = path.next(now);
        if (route == null) {
            throw new IllegalStateException("a round begins with a route");
        }
        long timeout = repeat == Repeat.WRITE
                ? remaining
                : Math.min(remaining, core.options().attemptTimeout().toNanos());
        ClientCore.Departure departure = new ClientCore.Departure();
        ClientCall<Q, R> attempt = core.newCall(
                route,
                method,
                CallOptions.DEFAULT
                        .withDeadlineAfter(timeout, TimeUnit.NANOSECONDS)
                        .withStreamTracerFactory(departure));
        if (attempt == null || !begin(attempt, new Listener(route, departure), route)) {
            fail(truth(ClientCore.closed(target.stream())));
        }
    }

    /** Sends the request, unless the client is closed. Under the lock, since the attempt may end before this returns. */
    private boolean begin(ClientCall<Q, R> attempt, Listener listener, Route route) {
        synchronized (lock) {
            if (abandoned) {
                attempt.cancel("client closed", null);
                return false;
            }
            call = attempt;
            attempt.start(listener, ClientCore.headers(route));
            attempt.sendMessage(request);
            attempt.halfClose();
            attempt.request(2); // a second message would be against the protocol, and is seen so
            return true;
        }
    }

    private void succeeded(Route route, R response) {
        path.succeeded(route);
        core.unregister(ending);
        result.complete(meaning.apply(response));
        core.answered();
    }

    private void failed(Route route, CallFailure failure) {
        long now = core.world().nanoTime();
        TidemarkException exception = failure.exception();
        if (failure.kind() == CallFailure.Kind.UNKNOWN) {
            unknown = exception;
        }
        CallPath.Next next = path.failed(route, failure, now);
        if (isAbandoned()) {
            fail(truth(ClientCore.closed(target.stream())));
            return;
        }
        if (failure.kind() == CallFailure.Kind.REJECTED
                || (failure.kind() == CallFailure.Kind.UNKNOWN && repeat == Repeat.WRITE)) {
            fail(truth(exception));
            return;
        }
        if (failure.kind() == CallFailure.Kind.UNREACHABLE || failure.kind() == CallFailure.Kind.LOST) {
            core.failed();
        }
        boolean roundGoesOn = next == CallPath.Next.NOW && path.next(now) != null;
        long pause = roundGoesOn ? 0 : backoff.nextNanos(failure.retryAfterNanos());
        if (now + pause - deadlineNanos >= 0) {
            fail(truth(exception));
        } else if (roundGoesOn) {
            attempt();
        } else {
            path.newRound();
            pause(pause);
        }
    }

    private void pause(long nanos) {
        synchronized (lock) {
            pausing = !abandoned;
            if (pausing) {
                core.world().schedule(nanos, this::endPause);
                return;
            }
        }
        fail(truth(ClientCore.closed(target.stream())));
    }

    private void endPause() {
        synchronized (lock) {
            pausing = false;
        }
        attempt();
    }

    private boolean isAbandoned() {
        synchronized (lock) {
            return abandoned;
        }
    }

    /** Once an attempt may have been written, no later failure can take that back. */
    private TidemarkException truth(TidemarkException last) {
        TidemarkException earlier = unknown;
        if (earlier == null || last instanceof TidemarkException.Indeterminate) {
            return last;
        }
        return new TidemarkException.Indeterminate(
                earlier.reason(),
                target.stream(),
                "an attempt may or may not have been written, and repeating it failed: " + last.getMessage(),
                last);
    }

    private void fail(TidemarkException exception) {
        core.unregister(ending);
        result.completeExceptionally(exception);
    }

    private void abandon() {
        boolean wasPausing;
        synchronized (lock) {
            abandoned = true;
            wasPausing = pausing;
            if (call != null && !pausing) {
                call.cancel("client closed", null);
            }
        }
        if (wasPausing) {
            fail(truth(ClientCore.closed(target.stream())));
        }
    }

    private final class Listener extends ClientCall.Listener<R> {
        private final Route route;
        private final ClientCore.Departure departure;
        private @Nullable R response;

        Listener(Route route, ClientCore.Departure departure) {
            this.route = route;
            this.departure = departure;
        }

        @Override
        public void onMessage(R message) {
            response = message;
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            R answer = response;
            if (status.isOk() && answer != null) {
                succeeded(route, answer);
                return;
            }
            Status failure = status.isOk() ? Status.INTERNAL.withDescription("no answer in the call") : status;
            failed(
                    route,
                    Failures.of(
                            failure,
                            trailers,
                            target.stream(),
                            route.endpoint(),
                            repeat != Repeat.READ,
                            departure.departed()));
        }
    }
}
