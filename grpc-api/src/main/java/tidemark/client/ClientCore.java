package tidemark.client;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientStreamTracer;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tidemark.v1.AdminServiceGrpc;
import tidemark.v1.DescribeClusterRequest;
import tidemark.v1.DescribeClusterResponse;

/**
 * What all calls of one client share: channels, the router, and the list of things to end when the client closes.
 * Thread-safe.
 */
final class ClientCore implements AutoCloseable {
    /** Tells a server not to forward the call. */
    static final Metadata.Key<String> NO_FORWARD =
            Metadata.Key.of("tidemark-no-forward", Metadata.ASCII_STRING_MARSHALLER);

    /** Pause between two times of asking for the cluster's members, after something went wrong. */
    private static final long LEARN_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final ClientOptions options;
    private final ClientWorld world;
    private final Router router;
    private final Object lock = new Object();
    private final Map<Endpoint, ManagedChannel> channels = new HashMap<>();
    private final Set<Runnable> endings = new HashSet<>();
    private boolean closed;
    private int answers;
    private boolean wantsToLearn = true;
    private long learnNotBeforeNanos;

    ClientCore(List<Endpoint> seeds, ClientOptions options, ClientWorld world) {
        this.options = options;
        this.world = world;
        this.router = new Router(seeds);
        this.learnNotBeforeNanos = world.nanoTime();
    }

    ClientOptions options() {
        return options;
    }

    ClientWorld world() {
        return world;
    }

    Router router() {
        return router;
    }

    /** Registers what to do when the client closes. Answers false, and does not register, if it is closed already. */
    boolean register(Runnable ending) {
        synchronized (lock) {
            return !closed && endings.add(ending);
        }
    }

    void unregister(Runnable ending) {
        synchronized (lock) {
            endings.remove(ending);
        }
    }

    /** A call on a route, not started; null if the client is closed. */
    <Q, R> @Nullable ClientCall<Q, R> newCall(Route route, MethodDescriptor<Q, R> method, CallOptions callOptions) {
        ManagedChannel channel = channel(route.endpoint());
        if (channel == null) {
            return null;
        }
        if (channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE) {
            channel.resetConnectBackoff(); // our own pauses are shorter than gRPC's, which grow to two minutes
        }
        return channel.newCall(method, callOptions);
    }

    private @Nullable ManagedChannel channel(Endpoint endpoint) {
        synchronized (lock) {
            return closed ? null : channels.computeIfAbsent(endpoint, world::channel);
        }
    }

    static Metadata headers(Route route) {
        Metadata headers = new Metadata();
        if (route.direct()) {
            headers.put(NO_FORWARD, "1");
        }
        return headers;
    }

    /**
     * A server answered. From the second answer on (a program that makes one call and exits needs no more servers), and again
     * after failures, the members of the cluster are asked for in the background.
     */
    void answered() {
        synchronized (lock) {
            answers++;
            if (!wantsToLearn || answers < 2 || world.nanoTime() - learnNotBeforeNanos < 0) {
                return;
            }
            wantsToLearn = false;
            learnNotBeforeNanos = world.nanoTime() + LEARN_AGAIN_NANOS;
        }
        learnMembers();
    }

    /** Something did not answer: what is known about the members may be old. */
    void failed() {
        synchronized (lock) {
            wantsToLearn = true;
        }
    }

    /** Asks each given server, so that its server id becomes known too. What fails is left out: it is only a help. */
    private void learnMembers() {
        for (Endpoint seed : router.seeds()) {
            ClientCall<DescribeClusterRequest, DescribeClusterResponse> call = newCall(
                    new Route(seed, true),
                    AdminServiceGrpc.getDescribeClusterMethod(),
                    CallOptions.DEFAULT.withDeadlineAfter(options.attemptTimeout()));
            if (call != null) {
                call.start(new MembersListener(seed), headers(new Route(seed, true)));
                call.sendMessage(DescribeClusterRequest.getDefaultInstance());
                call.halfClose();
                call.request(1);
            }
        }
    }

    private final class MembersListener extends ClientCall.Listener<DescribeClusterResponse> {
        private final Endpoint seed;

        MembersListener(Endpoint seed) {
            this.seed = seed;
        }

        @Override
        public void onMessage(DescribeClusterResponse response) {
            router.learned(seed, Protos.cluster(response));
        }
    }

    @Override
    public void close() {
        List<Runnable> toEnd;
        List<ManagedChannel> toClose;
        synchronized (lock) {
            if (closed) {
                return;
            }
            closed = true;
            toEnd = new ArrayList<>(endings);
            toClose = new ArrayList<>(channels.values());
            endings.clear();
            channels.clear();
        }
        toEnd.forEach(Runnable::run);
        toClose.forEach(ManagedChannel::shutdownNow);
        world.close();
    }

    /** Notices whether the last attempt of a call left this machine. Written by gRPC's threads before the call ends. */
    static final class Departure extends ClientStreamTracer.Factory {
        private volatile boolean departed;

        /** Whether the server may have got the request. */
        boolean departed() {
            return departed;
        }

        @Override
        public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata headers) {
            if (info.isTransparentRetry()) {
                departed = false; // gRPC repeats by itself only what the server said it has not processed
            }
            return new ClientStreamTracer() {
                @Override
                public void outboundHeaders() {
                    departed = true;
                }
            };
        }
    }

    /** The failure of a call that found the client closed. */
    static TidemarkException closed(String stream) {
        return new TidemarkException.Closed(stream, "the client is closed", Status.CANCELLED.asException());
    }
}
