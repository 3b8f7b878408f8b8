package tidemark.server.grpc;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientStreamTracer;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tidemark.v1.Effect;
import tidemark.v1.ErrorDetail;

/**
 * Hands a call to another server, message by message as bytes, both ways, with the client's deadline, cancellation and flow control.
 *
 * <p>Only the first message is sent before the other server accepts the call by sending headers. So a refusal before that is known to
 * have had no effect beyond that message, and the call can go to another server.
 *
 * <p>A connection that breaks: if not even the request's headers were sent, nothing was done; else, what was sent and not answered is
 * indeterminate if the call writes.
 */
final class ForwardLeg implements Leg {
    private final RoutedMethod<?> method;
    private final ClientCall<byte[], byte[]> upstream;
    private final Metadata headers;
    private final byte[] first;
    private final String stream;
    private final Downstream out;
    private final Sent sent = new Sent();

    // Guarded by this.
    private boolean accepted;
    private boolean draining;
    /** Half-closed towards the other server. */
    private boolean closedByClient;
    /** The client sent all the upstream took, and waits for it to take more. */
    private boolean clientHeldBack;

    private boolean upstreamHeldBack;
    /** Messages sent, beside the first of a stream that only opens it; and answers received. */
    private long unanswered;

    ForwardLeg(RoutedMethod<?> method, Channel channel, Metadata headers, byte[] first, String stream, Downstream out) {
        this.method = method;
        this.headers = headers;
        this.first = first;
        this.stream = stream;
        this.out = out;
        this.unanswered = method.clientStreams() ? 0 : 1;
        // Our callbacks only hand over bytes, so they may run on the network's threads.
        CallOptions options = CallOptions.DEFAULT.withExecutor(Runnable::run).withStreamTracerFactory(sent);
        this.upstream = channel.newCall(method.wire(), options);
    }

    @Override
    public void start() {
        upstream.start(new Answers(), headers);
        upstream.request(1);
        upstream.sendMessage(first);
        if (!method.clientStreams()) {
            upstream.halfClose();
        }
    }

    @Override
    public void message(byte[] message) {
        synchronized (this) {
            if (closedByClient) {
                // It crossed with the server's stop: not sent, so not written.
                return;
            }
            unanswered++;
            upstream.sendMessage(message);
            clientHeldBack = !upstream.isReady();
            if (clientHeldBack) {
                return;
            }
        }
        requestFromClient();
    }

    private void requestFromClient() {
        synchronized (this) {
            if (draining) {
                return;
            }
        }
        out.request(1);
    }

    @Override
    public void halfClose() {
        synchronized (this) {
            if (closedByClient) {
                return;
            }
            closedByClient = true;
            upstream.halfClose();
        }
    }

    @Override
    public void cancel() {
        upstream.cancel("the client ended the call", null);
    }

    @Override
    public void ready() {
        synchronized (this) {
            if (!upstreamHeldBack) {
                return;
            }
            upstreamHeldBack = false;
        }
        upstream.request(1);
    }

    /** Lets what was sent be answered, and no more. Calls with one request end by themselves, unless they follow. */
    @Override
    public void drain() {
        if (!method.clientStreams()) {
            if (!method.wire().getType().serverSendsOneMessage()) {
                out.fail(Errors.shuttingDown());
                upstream.cancel("the server stops", null);
            }
            return;
        }
        synchronized (this) {
            draining = true;
        }
        halfClose();
    }

    /** What comes back. One event at a time. */
    private final class Answers extends ClientCall.Listener<byte[]> {
        @Override
        public void onHeaders(Metadata ignored) {
            synchronized (ForwardLeg.this) {
                accepted = true;
            }
            out.accept();
            if (method.clientStreams()) {
                requestFromClient();
            }
        }

        @Override
        public void onMessage(byte[] message) {
            out.send(message);
            boolean more;
            synchronized (ForwardLeg.this) {
                unanswered--;
                more = out.isReady();
                upstreamHeldBack = !more;
            }
            if (more) {
                upstream.request(1);
            }
        }

        @Override
        public void onReady() {
            synchronized (ForwardLeg.this) {
                if (!clientHeldBack) {
                    return;
                }
                clientHeldBack = false;
            }
            requestFromClient();
        }

        @Override
        public void onClose(Status status, @Nullable Metadata trailers) {
            boolean cutShort;
            synchronized (ForwardLeg.this) {
                cutShort = draining;
            }
            if (!status.isOk()) {
                refused(status, trailers == null ? new Metadata() : trailers);
            } else if (cutShort) {
                out.fail(Errors.shuttingDown());
            } else {
                out.finish();
            }
        }
    }

    private void refused(Status status, Metadata trailers) {
        Optional<ErrorDetail> detail = Errors.detail(status, trailers);
        StatusRuntimeException error = detail.isPresent() ? Errors.relayed(status, trailers) : broken(status);
        if (detail.map(ForwardLeg::servedElsewhere).orElseGet(this::mayTryElsewhere)) {
            out.elsewhere(error, detail.flatMap(ForwardLeg::leader));
        } else {
            out.fail(error);
        }
    }

    private static Optional<String> leader(ErrorDetail detail) {
        return detail.hasLeaderHint() ? Optional.of(detail.getLeaderHint().getServerId()) : Optional.empty();
    }

    private static boolean servedElsewhere(ErrorDetail detail) {
        return switch (detail.getReason()) {
            case ERROR_REASON_NOT_LEADER, ERROR_REASON_NO_LEADER, ERROR_REASON_SHUTTING_DOWN ->
                detail.getEffect() != Effect.EFFECT_INDETERMINATE;
            default -> false;
        };
    }

    /** After a failure that no Tidemark server explained. */
    private synchronized boolean mayTryElsewhere() {
        return !sent.reachedNetwork() || !method.writes() || (unanswered == 0 && !accepted);
    }

    private synchronized StatusRuntimeException broken(Status status) {
        String what = "the connection to the server that serves it failed (" + status.getCode() + ")";
        boolean mayHaveWritten = method.writes() && sent.reachedNetwork() && unanswered > 0;
        return mayHaveWritten ? Errors.indeterminate(stream, what) : Errors.noLeader(stream, what);
    }

    /** Notes whether the request left this server. */
    private static final class Sent extends ClientStreamTracer.Factory {
        private volatile boolean reachedNetwork;

        boolean reachedNetwork() {
            return reachedNetwork;
        }

        @Override
        public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata ignored) {
            return new ClientStreamTracer() {
                @Override
                public void outboundHeaders() {
                    reachedNetwork = true;
                }
            };
        }
    }
}
