package tidemark.server.grpc;

import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.io.Closeable;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import tidemark.server.raft.RaftHost.Member;

/**
 * One connection to each other server that was ever needed, made when first asked for. When a member's address changes, the next call
 * gets a new connection. Safe for use by many threads.
 */
public final class PeerChannels implements Closeable {
    /** Larger than any message between servers: a chunk of a segment or a batch, and what wraps it. */
    private static final int MESSAGE_BYTES_MAX = 16 << 20;

    private final Function<String, Optional<Member>> members;
    private final Function<Member, ManagedChannel> connector;
    private final Map<String, Connection> connections = new HashMap<>();
    private boolean closed;

    /** @param members finds the address of a server by its id */
    public PeerChannels(Function<String, Optional<Member>> members) {
        this(members, PeerChannels::connect);
    }

    PeerChannels(Function<String, Optional<Member>> members, Function<Member, ManagedChannel> connector) {
        this.members = members;
        this.connector = connector;
    }

    /** The connection to a server; empty if the id is of no member, or this is closed. */
    Optional<ManagedChannel> to(String serverId) {
        return members.apply(serverId).flatMap(this::to);
    }

    private synchronized Optional<ManagedChannel> to(Member member) {
        if (closed) {
            return Optional.empty();
        }
        Connection present = connections.get(member.id());
        if (present == null || !present.endpoint.equals(member.clientEndpoint())) {
            if (present != null) {
                present.channel.shutdown();
            }
            present = new Connection(member.clientEndpoint(), connector.apply(member));
            connections.put(member.id(), present);
        } else if (present.channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE) {
            // gRPC's pause between attempts grows to minutes: a server that is back is to be found by the call that
            // wants it.
            present.channel.resetConnectBackoff();
        }
        return Optional.of(present.channel);
    }

    private static ManagedChannel connect(Member member) {
        return NettyChannelBuilder.forAddress(member.host(), member.clientPort())
                .usePlaintext()
                // A dead peer is noticed within seconds, although the kernel would wait for minutes.
                .keepAliveTime(10, TimeUnit.SECONDS)
                .keepAliveTimeout(5, TimeUnit.SECONDS)
                .withOption(io.netty.channel.ChannelOption.CONNECT_TIMEOUT_MILLIS, 2_000)
                .maxInboundMessageSize(MESSAGE_BYTES_MAX)
                .disableServiceConfigLookUp()
                .disableRetry()
                .build();
    }

    /** Ends all connections at once, with the calls on them. */
    @Override
    public synchronized void close() {
        closed = true;
        connections.values().forEach(connection -> connection.channel.shutdownNow());
        connections.clear();
    }

    private record Connection(String endpoint, ManagedChannel channel) {}
}
