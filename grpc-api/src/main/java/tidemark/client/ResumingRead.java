package tidemark.client;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tidemark.client.CallFailure.Kind;
import tidemark.v1.LogServiceGrpc;
import tidemark.v1.ReadRequest;
import tidemark.v1.ReadResponse;

/**
 * A read over as many {@code Read} calls as it takes, one at a time: when one is lost, the next goes on at the same offset.
 *
 * <p>The sink asks for messages one by one ({@link #request}); gRPC's flow control carries that to the server. So beside what
 * the sink holds there is at most one message here, and what HTTP/2's window lets travel. Sink calls come one at a time.
 */
final class ResumingRead {
    /** Longest silence of a server that was asked for more: three of its heartbeats. Then another one is asked. */
    static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(15);

    private final ClientCore core;
    private final String stream;
    private final Sink sink;
    private final CallPath path;
    private final Backoff backoff;
    private final Runnable ending = this::stopWithClient;

    private final Object lock = new Object();

    /** Used only where sink calls are made, so by one thread at a time. */
    private final ReadCursor cursor;

    private @Nullable Call call;
    private boolean wanted;
    private long wantedSinceNanos;
    private boolean stopped;
    private ClientWorld.@Nullable Timer watchdog;

    /** When the first failure since the last message came; meaningless while {@link #failing} is false. */
    private long failingSinceNanos;

    private boolean failing;

    /** Takes what is read. */
    interface Sink {
        /** One message. The next comes only after another {@link ResumingRead#request}. */
        void chunk(ReadCursor.Chunk chunk);

        /** All was delivered. */
        void end(ReadProgress progress);

        /** It failed for good, or was stopped. */
        void failed(TidemarkException failure);
    }

    ResumingRead(ClientCore core, String stream, ReadOptions options, Sink sink) {
        this.core = core;
        this.stream = stream;
        this.sink = sink;
        this.cursor = new ReadCursor(stream, options);
        this.path = new CallPath(core.router(), target(stream, options));
        this.backoff = new Backoff(core.options(), core.world());
    }

    private static CallPath.Target target(String stream, ReadOptions options) {
        if (options.replica().isPresent()) {
            return CallPath.Target.only(stream, options.replica().get());
        }
        return options.mode() == ReadMode.ANY ? CallPath.Target.any(stream) : CallPath.Target.leaderOf(stream);
    }

    /** Starts the first call; once. */
    void start() {
        if (core.register(ending)) {
            openCall();
        } else {
            stop("the client is closed");
        }
    }

    /** Asks for one more message. Does nothing while one is asked for. */
    void request() {
        Call current;
        synchronized (lock) {
            if (wanted || stopped) {
                return;
            }
            wanted = true;
            wantedSinceNanos = core.world().nanoTime();
            current = call;
            armWatchdog();
        }
        if (current != null) {
            current.grpc.request(1);
        }
    }

    /** Ends it from outside: the sink fails with Closed, if it has not ended. */
    void stop(String why) {
        finish(() -> sink.failed(new TidemarkException.Closed(stream, why, null)));
    }

    private void stopWithClient() {
        stop("the client is closed");
    }

    private void finish(Runnable lastWord) {
        Call current;
        synchronized (lock) {
            if (stopped) {
                return;
            }
            stopped = true;
            current = call;
            call = null;
            if (watchdog != null) {
                watchdog.cancel();
                watchdog = null;
            }
        }
        core.unregister(ending);
        if (current != null) {
            current.grpc.cancel("read stopped", null);
        }
        lastWord.run();
    }

    private void openCall() {
        Route route = path.next(core.world().nanoTime());
        if (route == null) {
            throw new IllegalStateException("a round begins with a route");
        }
        ClientCall<ReadRequest, ReadResponse> grpc =
                core.newCall(route, LogServiceGrpc.getReadMethod(), CallOptions.DEFAULT);
        if (grpc == null) {
            stop("the client is closed");
            return;
        }
        Call opened = new Call(route, grpc);
        ReadRequest request = cursor.request();
        synchronized (lock) { // from the start on, since the call may end, and be followed, before this thread goes on
            if (stopped) {
                grpc.cancel("read stopped", null);
                return;
            }
            call = opened;
            grpc.start(opened, ClientCore.headers(route));
            grpc.sendMessage(request);
            grpc.halfClose();
            if (wanted) {
                grpc.request(1);
            }
            wantedSinceNanos = core.world().nanoTime();
            armWatchdog();
        }
    }

    /** One call. Its callbacks come one at a time, and the next call starts only after this one's last. */
    private final class Call extends ClientCall.Listener<ReadResponse> {
        private final Route route;
        private final ClientCall<ReadRequest, ReadResponse> grpc;
        private boolean answered;

        Call(Route route, ClientCall<ReadRequest, ReadResponse> grpc) {
            this.route = route;
            this.grpc = grpc;
        }

        @Override
        public void onMessage(ReadResponse message) {
            synchronized (lock) {
                if (stopped) {
                    return;
                }
                wanted = false;
                failing = false;
            }
            backoff.reset();
            if (!answered) {
                answered = true;
                path.succeeded(route);
                core.answered();
            }
            deliver(message, route.endpoint());
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            synchronized (lock) {
                if (stopped) {
                    return;
                }
                call = null;
            }
            closed(route, status, trailers);
        }
    }

    private void deliver(ReadResponse message, Endpoint from) {
        ReadCursor.Chunk chunk;
        try {
            chunk = cursor.accept(message, from);
        } catch (TidemarkException defect) {
            finish(() -> sink.failed(defect));
            return;
        }
        sink.chunk(chunk);
        if (cursor.done()) {
            finish(() -> sink.end(cursor.progress()));
        }
    }

    private void closed(Route route, Status status, Metadata trailers) {
        if (status.isOk() && cursor.callEnded()) {
            path.succeeded(route);
            finish(() -> sink.end(cursor.progress()));
            return;
        }
        Status meaning = status.isOk() ? Status.UNAVAILABLE.withDescription("the server ended the read") : status;
        CallFailure failed = Failures.of(meaning, trailers, stream, route.endpoint(), false, true);
        if (failed.kind() != Kind.REJECTED && cursor.nothingLeft()) {
            finish(() -> sink.end(cursor.progress()));
            return;
        }
        boolean lag = cursor.mayBeLag(failed.exception());
        if (failed.kind() == Kind.REJECTED && !lag) {
            finish(() -> sink.failed(failed.exception()));
            return;
        }
        goOn(route, failed);
    }

    private void goOn(Route route, CallFailure failed) {
        long now = core.world().nanoTime();
        if (failed.kind() == Kind.LOST) {
            core.failed();
        }
        CallPath.Next next = path.failed(route, failed, now);
        boolean roundGoesOn = next == CallPath.Next.NOW && path.next(now) != null;
        long pause = roundGoesOn ? 0 : backoff.nextNanos(failed.retryAfterNanos());
        boolean givesUp;
        synchronized (lock) {
            if (!failing) {
                failing = true;
                failingSinceNanos = now;
            }
            givesUp = now + pause - failingSinceNanos
                    >= core.options().requestTimeout().toNanos();
        }
        if (givesUp) {
            finish(() -> sink.failed(failed.exception()));
        } else if (roundGoesOn) {
            openCall();
        } else {
            path.newRound();
            core.world().schedule(pause, this::endPause);
        }
    }

    private void endPause() {
        synchronized (lock) {
            if (stopped) {
                return;
            }
        }
        openCall();
    }

    /** Called under the lock. */
    private void armWatchdog() {
        if (watchdog == null && wanted && !stopped && call != null) {
            long wait = wantedSinceNanos + SILENCE_NANOS - core.world().nanoTime();
            watchdog = core.world().schedule(wait, this::checkSilence);
        }
    }

    private void checkSilence() {
        Call silent = null;
        synchronized (lock) {
            watchdog = null;
            if (wanted && call != null && core.world().nanoTime() - wantedSinceNanos >= SILENCE_NANOS) {
                silent = call;
                wantedSinceNanos = core.world().nanoTime();
            }
            armWatchdog();
        }
        if (silent != null) {
            silent.grpc.cancel("the server was silent for too long", null);
        }
    }
}
