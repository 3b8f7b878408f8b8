package tidemark.server.grpc;

import io.grpc.BindableService;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.inprocess.AnonymousInProcessSocketAddress;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tidemark.peer.proto.PeerServiceGrpc;
import tidemark.server.batch.Batchers;
import tidemark.server.batch.ServerTime;
import tidemark.server.catalog.Catalog;
import tidemark.server.raft.RaftHost;
import tidemark.v1.AdminServiceGrpc;
import tidemark.v1.LogServiceGrpc;

/**
 * The client port: public services, health, reflection, and what servers ask of each other.
 *
 * <p>Life: {@link #start} binds the port (all calls but health and reflection are refused as unavailable), {@link #serve} opens for
 * calls, {@link #stop} refuses new ones, lets what is written finish, and closes.
 *
 * <p>Threads: the network's own; call threads, which route and hand over and do not block on disks; read threads, which do; one
 * scheduler, which only hands over.
 */
public final class GrpcServer implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(GrpcServer.class);

    private static final int METADATA_BYTES_MAX = 16 << 10;
    /** Streams that a connection may reset: a client that cancels many reads is fine, a flood is cut off. */
    private static final int RESETS_MAX = 1_000;

    private static final int RESETS_SECONDS = 30;
    private static final long TICK_MILLIS = 500;
    /** For responses that are on their way when the last call has ended. */
    private static final Duration FLUSH_PATIENCE = Duration.ofMillis(500);

    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(5);

    private final GrpcSettings settings;
    private final ServerIdentity identity;
    private final PeerChannels channels;
    private final RpcMetrics metrics;
    private final ServerTime time;
    private final Gate gate = new Gate();
    private final HealthStatusManager health = new HealthStatusManager();
    private final ExecutorService callThreads;
    private final ExecutorService readThreads;
    private final Timer timer = new Timer();

    private @Nullable Server network;
    private @Nullable Server self;
    private @Nullable ManagedChannel selfChannel;
    private boolean stopped;
    private volatile BooleanSupplier ready = () -> true;

    public GrpcServer(
            GrpcSettings settings,
            ServerIdentity identity,
            PeerChannels channels,
            RpcMetrics metrics,
            ServerTime time) {
        this.settings = settings;
        this.identity = identity;
        this.channels = channels;
        this.metrics = metrics;
        this.time = time;
        int calls = Math.max(4, 2 * Runtime.getRuntime().availableProcessors());
        this.callThreads = Executors.newFixedThreadPool(calls, Threads.named("grpc-call"));
        this.readThreads = Executors.newFixedThreadPool(settings.readThreads(), Threads.named("grpc-read"));
        setHealth(false);
    }

    /**
     * Binds the port.
     *
     * @throws PortInUseException if the address cannot be bound
     */
    public synchronized void start() throws IOException {
        NettyServerBuilder builder = NettyServerBuilder.forAddress(
                        new InetSocketAddress(settings.host(), settings.port()))
                .executor(callThreads)
                // Messages over the limit of the settings, but not over this, get an error that says so.
                .maxInboundMessageSize(2 * settings.inboundMessageBytesMax())
                .maxInboundMetadataSize(METADATA_BYTES_MAX)
                .maxConcurrentCallsPerConnection(settings.callsPerConnectionMax())
                .maxRstFramesPerWindow(RESETS_MAX, RESETS_SECONDS)
                .handshakeTimeout(10, TimeUnit.SECONDS)
                .keepAliveTime(30, TimeUnit.SECONDS)
                .keepAliveTimeout(10, TimeUnit.SECONDS)
                .permitKeepAliveTime(5, TimeUnit.SECONDS)
                .permitKeepAliveWithoutCalls(true)
                .addService(health.getHealthService());
        for (BindableService reflection : reflection()) {
            builder.addService(reflection);
        }
        network = withServices(builder).build();
        try {
            network.start();
        } catch (IOException failure) {
            throw new PortInUseException(settings.host(), settings.port(), failure);
        }
        AnonymousInProcessSocketAddress address = new AnonymousInProcessSocketAddress();
        self = withServices(InProcessServerBuilder.forAddress(address).executor(callThreads))
                .build()
                .start();
        selfChannel = InProcessChannelBuilder.forAddress(address)
                .executor(callThreads)
                .build();
    }

    private <B extends ServerBuilder<B>> B withServices(B builder) {
        return builder.addService(gate.service(LogServiceGrpc.getServiceDescriptor()))
                .addService(gate.service(AdminServiceGrpc.getServiceDescriptor()))
                .addService(gate.service(PeerServiceGrpc.getServiceDescriptor()));
    }

    /** Both versions: tools in use still ask for the old one. */
    @SuppressWarnings("deprecation")
    private static List<BindableService> reflection() {
        return List.of(
                ProtoReflectionServiceV1.newInstance(), io.grpc.protobuf.services.ProtoReflectionService.newInstance());
    }

    /**
     * Opens for calls. Call it once, after {@link #start}.
     *
     * @param isReady what the health service says; asked now and then
     */
    public synchronized void serve(RaftHost raft, Catalog catalog, Batchers batchers, BooleanSupplier isReady) {
        MachineStreams machines = new MachineStreams();
        ready = isReady;
        serve(raft, catalog, batchers, machines, machines);
    }

    synchronized void serve(
            RaftHost raft, Catalog catalog, Batchers batchers, StoredStreams stored, StoredCheckpoints checkpoints) {
        if (selfChannel == null) {
            throw new IllegalStateException("start() comes first");
        }
        Router router = new Router(raft, catalog, identity.serverId());
        Writes writes = new Writes(batchers, stored);
        Readers readers = new Readers(settings.readsMax(), settings.heartbeat(), readThreads, time);
        LogSupport log = new LogSupport(raft, stored, writes, readers, identity, metrics);
        ClusterSupport cluster = new ClusterSupport(
                raft, catalog, router, stored, writes, channels, selfChannel, timer, time, settings, identity);
        List<RoutedMethod<?>> methods = new ArrayList<>();
        methods.addAll(new LogService(log, new Appends(writes, time, metrics)).methods());
        methods.addAll(new AdminService(cluster).methods());
        methods.addAll(new PeerService(raft, catalog, checkpoints, identity, readThreads).methods());
        gate.open(methods, new CallSupport(router, channels, callThreads, timer, settings, time, metrics));
        setHealth(raft.problems().isEmpty() && ready.getAsBoolean());
        timer.every(TICK_MILLIS, () -> tick(raft, batchers, readers));
    }

    private void tick(RaftHost raft, Batchers batchers, Readers readers) {
        try {
            readers.tick();
            batchers.retain(raft.groups());
            setHealth(raft.problems().isEmpty() && ready.getAsBoolean());
        } catch (RuntimeException defect) {
            // A tick that throws would be the last one.
            LOG.error("housekeeping of the client port failed", defect);
        }
    }

    /** Has no effect any more once the server stops. */
    private void setHealth(boolean serving) {
        ServingStatus status = serving ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
        health.setStatus(HealthStatusManager.SERVICE_NAME_ALL_SERVICES, status);
        health.setStatus(LogServiceGrpc.SERVICE_NAME, status);
        health.setStatus(AdminServiceGrpc.SERVICE_NAME, status);
    }

    /** Calls of our own services that have not ended, those of this server to itself included. */
    int openCalls() {
        return gate.openCalls();
    }

    /** The bound port. */
    public synchronized int port() {
        if (network == null) {
            throw new IllegalStateException("not started");
        }
        return network.getPort();
    }

    /**
     * Refuses new calls, ends following reads, waits up to a time for the calls that are open, closes. Raft and the catalog must still
     * run meanwhile, so that what is in flight can finish. A second call does nothing.
     */
    public void stop(Duration patience) {
        synchronized (this) {
            if (stopped) {
                return;
            }
            stopped = true;
        }
        health.enterTerminalState();
        gate.close(patience);
        synchronized (this) {
            if (selfChannel != null) {
                selfChannel.shutdownNow();
            }
            shutdown(network);
            shutdown(self);
        }
        timer.close();
        callThreads.shutdown();
        readThreads.shutdown();
    }

    /** Cuts off what is still open. Blocks for a bounded time. */
    private static void shutdown(@Nullable Server server) {
        if (server == null) {
            return;
        }
        server.shutdown();
        try {
            if (server.awaitTermination(FLUSH_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                return;
            }
            server.shutdownNow();
            // Calls are told through the call threads, so those must outlive this.
            if (!server.awaitTermination(CLOSE_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn("connections were still open {} after they were cut off", CLOSE_PATIENCE);
            }
        } catch (InterruptedException hurried) {
            server.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }

    /** Stops without waiting for open calls. */
    @Override
    public void close() {
        stop(Duration.ZERO);
    }
}
