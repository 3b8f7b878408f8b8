package tidemark.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tidemark.server.batch.BatchLimits;
import tidemark.server.batch.Batchers;
import tidemark.server.batch.ServerTime;
import tidemark.server.catalog.RaftCatalog;
import tidemark.server.catalog.ReconcilerThread;
import tidemark.server.config.Hosts;
import tidemark.server.config.ServerConfig;
import tidemark.server.config.Setting;
import tidemark.server.grpc.GrpcServer;
import tidemark.server.grpc.GrpcSettings;
import tidemark.server.grpc.PeerChannels;
import tidemark.server.grpc.PeerClient;
import tidemark.server.grpc.PortInUseException;
import tidemark.server.grpc.ServerIdentity;
import tidemark.server.metrics.HealthReport;
import tidemark.server.metrics.HttpEndpoint;
import tidemark.server.metrics.ServerMetrics;
import tidemark.server.raft.FailureListener;
import tidemark.server.raft.HostedGroup.Leadership;
import tidemark.server.raft.RaftHost.Member;
import tidemark.server.raft.RaftNode;
import tidemark.server.raft.RaftSettings;
import tidemark.server.raft.RatisHost;
import tidemark.server.storage.DataDirectory;
import tidemark.server.storage.MountCheck;
import tidemark.server.storage.Owner;
import tidemark.server.storage.UnusableDirectoryException;
import tidemark.statemachine.catalog.ServerEntry;
import tidemark.statemachine.env.RealFileSystem;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.segment.EngineLimits;

/**
 * One running server: makes the parts and knows their order. Several can run in one process, as tests do.
 *
 * <p>Start: the directories first, because they decide whether anything may be done at all; then the client and HTTP ports are bound
 * (they answer that the server is starting), so that a port in use is found before Raft begins to vote; then Raft, the catalog, and
 * the client port opens. The end is the reverse. What fails half-way is taken down again.
 *
 * <p>One thread starts and stops; {@link #health} is for any.
 */
final class Server {
    private static final Logger LOG = LoggerFactory.getLogger(Server.class);

    private static final int ENTRIES_IN_FLIGHT = BatchLimits.DEFAULT.entriesInFlight();
    /** How long a start waits for a single server to elect itself. */
    private static final Duration ALONE_PATIENCE = Duration.ofSeconds(20);

    private static final long POLL_MILLIS = 5;

    private final ServerConfig config;
    private final FailureListener failures;
    private final ServerTime time = new SystemTime();
    private final Supplier<UUID> randomId = UUID::randomUUID;
    private final ServerMetrics metrics = new ServerMetrics();
    private final Owner owner;
    private final List<Member> members;
    /** What was started, in order. */
    private final List<Stop> started = new ArrayList<>();

    private final List<String> warnings = new ArrayList<>();
    private volatile @Nullable RatisHost raft;
    private volatile @Nullable RaftCatalog catalog;
    private volatile @Nullable ReconcilerThread reconciler;
    private volatile boolean serving;
    private @Nullable GrpcServer grpc;
    private @Nullable HttpEndpoint http;

    /** Takes one part down. */
    private interface Stop {
        void run() throws IOException;
    }

    /** @param failures is told of what this server cannot get over */
    Server(ServerConfig config, FailureListener failures) {
        this.config = config;
        this.failures = failures;
        List<String> memberIds =
                config.cluster().members().stream().map(ServerEntry::id).toList();
        this.owner =
                Owner.of(config.cluster().name(), memberIds, config.cluster().serverId());
        this.members = config.cluster().members().stream()
                .map(entry -> new Member(entry.id(), entry.host(), entry.clientPort(), entry.raftPort()))
                .toList();
    }

    /**
     * Returns when the server takes calls; a single one also leads by then.
     *
     * @throws StartException if it cannot; then nothing runs
     */
    void start() throws StartException {
        try {
            startParts();
        } catch (StartException | RuntimeException e) {
            stop(Duration.ZERO);
            throw e;
        }
    }

    private void startParts() throws StartException {
        DataDirectory data = openDirectory();
        PeerChannels channels = new PeerChannels(this::member);
        started.add(channels::close);
        GrpcServer clientPort = bindClientPort(channels);
        bindHttp();
        PeerClient peers = new PeerClient(channels, owner.clusterId().toString(), owner.serverId());
        RatisHost host = startRaft(data, peers);
        ExecutorService callbacks =
                Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors(), new NamedThreads("callback"));
        started.add(callbacks::shutdown);
        Batchers batchers = new Batchers(batchLimits(), time, callbacks, metrics.batch());
        RaftCatalog opened = openCatalog(host);
        ReconcilerThread reconciling = new ReconcilerThread(
                owner.serverId(), host, opened, new BatchOpener(batchers), peers, new NamedThreads("reconciler"));
        reconciler = reconciling;
        started.add(reconciling::close);
        gauges(host, opened, batchers);
        serving = true;
        clientPort.serve(host, opened, batchers, () -> health().ready());
        if (members.size() == 1) {
            awaitReady();
        }
    }

    private DataDirectory openDirectory() throws StartException {
        ServerConfig.Directories paths = config.directories();
        try {
            DataDirectory opened = DataDirectory.open(
                    new DataDirectory.Roots(paths.data(), paths.journal(), paths.store()), owner, randomId);
            started.add(opened::close);
            Set<Path> used = new LinkedHashSet<>(List.of(paths.journal(), paths.store()));
            used.forEach(path -> MountCheck.warning(path).ifPresent(warning -> {
                LOG.warn("{}", warning);
                warnings.add(warning);
            }));
            return opened;
        } catch (UnusableDirectoryException | StorageException e) {
            throw new StartException(String.valueOf(e.getMessage()), e);
        } catch (IOException e) {
            throw new StartException("cannot use directory " + paths.data() + ": " + e.getMessage(), e);
        }
    }

    private GrpcServer bindClientPort(PeerChannels channels) throws StartException {
        ServerConfig.Addresses addresses = config.addresses();
        GrpcServer made = new GrpcServer(
                GrpcSettings.at(addresses.listen(), addresses.clientPort()),
                new ServerIdentity(
                        owner.clusterName(), owner.clusterId().toString(), owner.serverId(), Version.current()),
                channels,
                metrics.rpc(),
                time);
        // Its end is bounded by the time to drain; all below it must still run then.
        grpc = made;
        started.add(made::close);
        try {
            made.start();
        } catch (PortInUseException e) {
            throw portTaken(e, Setting.CLIENT_PORT);
        } catch (IOException e) {
            throw new StartException("cannot serve clients: " + e.getMessage(), e);
        }
        return made;
    }

    private void bindHttp() throws StartException {
        ServerConfig.Addresses addresses = config.addresses();
        if (addresses.httpPort() == 0) {
            return;
        }
        try {
            HttpEndpoint made = new HttpEndpoint(
                    new InetSocketAddress(addresses.listen(), addresses.httpPort()),
                    metrics,
                    this::health,
                    new NamedThreads("http"));
            http = made;
            started.add(made::close);
        } catch (IOException e) {
            throw portTaken(
                    new IOException(
                            "cannot listen on " + shown(addresses.listen(), addresses.httpPort()) + ": "
                                    + e.getMessage(),
                            e),
                    Setting.HTTP_PORT);
        }
    }

    private StartException portTaken(IOException failure, Setting flag) {
        boolean inCluster = members.size() > 1 && flag != Setting.HTTP_PORT;
        String what = inCluster
                ? "its port in " + Setting.CLUSTER.flag() + " on all servers"
                : flag.flag() + (flag == Setting.HTTP_PORT ? " (0: none)" : "");
        return new StartException(
                failure.getMessage() + "; stop what uses it, or change " + what + " or " + Setting.LISTEN.flag(),
                failure);
    }

    private RatisHost startRaft(DataDirectory data, PeerClient peers) throws StartException {
        ServerConfig.Addresses addresses = config.addresses();
        Machines machines = new Machines(
                new RealFileSystem(data.store()),
                catalogGroup(),
                EngineLimits.DEFAULT.withSegmentBytes(config.storage().segmentBytes()));
        started.add(machines::close);
        RatisHost made = new RatisHost(
                new RaftNode(owner.serverId(), addresses.listen(), addresses.raftPort(), data.journal()),
                raftSettings(),
                machines,
                peers,
                failures,
                metrics.raft(),
                time::monotonicNanos);
        started.add(made::close);
        try {
            made.start();
        } catch (IOException e) {
            String message = String.valueOf(e.getMessage());
            throw message.contains("Address already in use") || message.contains("Cannot assign")
                    ? portTaken(e, Setting.RAFT_PORT)
                    : new StartException(message + " (in " + data.journal() + " or " + data.store() + ")", e);
        }
        raft = made;
        return made;
    }

    private RaftCatalog openCatalog(RatisHost host) throws StartException {
        try {
            // Nothing happens if it is there already, from an earlier start.
            host.addGroup(catalogGroup(), members);
        } catch (IOException e) {
            throw new StartException("cannot start the catalog: " + e.getMessage(), e);
        }
        RaftCatalog opened = new RaftCatalog(host, catalogGroup(), members, randomId, time::wallMillis);
        catalog = opened;
        return opened;
    }

    /** The same on all servers of the cluster. */
    GroupId catalogGroup() {
        return new GroupId(UUID.nameUUIDFromBytes(("tidemark catalog\n" + owner.clusterId()).getBytes(UTF_8)));
    }

    private Optional<Member> member(String serverId) {
        RaftCatalog known = catalog;
        return known != null
                ? known.member(serverId)
                : members.stream()
                        .filter(member -> member.id().equals(serverId))
                        .findFirst();
    }

    private BatchLimits batchLimits() {
        ServerConfig.Limits limits = config.limits();
        return new BatchLimits(
                ENTRIES_IN_FLIGHT,
                BatchLimits.DEFAULT.entryBytesTarget(),
                BatchLimits.DEFAULT.entryCommandsMax(),
                limits.groupPendingBytes(),
                limits.pendingBytes());
    }

    private RaftSettings raftSettings() {
        Duration election = config.timing().electionTimeout();
        return new RaftSettings(
                election,
                election.multipliedBy(2),
                RaftSettings.DEFAULT.entryBytesMax(),
                config.storage().journalKeepBytes(),
                config.storage().checkpointBytes(),
                config.storage().checkpointInterval(),
                RaftSettings.DEFAULT.proposalTimeout());
    }

    private void gauges(RatisHost host, RaftCatalog opened, Batchers batchers) {
        metrics.gauge("tidemark_pending_bytes", "Bytes of appends that wait to be committed.", batchers::pendingBytes);
        metrics.gauge(
                "tidemark_raft_groups",
                "Groups hosted here, the catalog's included.",
                () -> host.groups().size());
        metrics.gauge("tidemark_streams", "Streams of the cluster, as this server knows.", opened::streamCount);
        metrics.gauge(
                "tidemark_problems",
                "Lines of /healthz that say what is wrong.",
                () -> host.problems().size());
        metrics.gauge("tidemark_ready", "Whether /readyz says so.", () -> health().ready() ? 1 : 0);
    }

    /** How it is now. */
    HealthReport health() {
        RatisHost host = raft;
        List<String> problems = host == null ? List.of() : host.problems();
        return new HealthReport(serving && problems.isEmpty() && caughtUp(), problems, List.copyOf(warnings));
    }

    private boolean caughtUp() {
        RaftCatalog known = catalog;
        ReconcilerThread reconciling = reconciler;
        if (known == null || reconciling == null || !reconciling.settled()) {
            return false;
        }
        Leadership leadership = known.group().leadership();
        return leadership.leads() || leadership.leaderId().isPresent();
    }

    private void awaitReady() throws StartException {
        long until = time.monotonicNanos() + ALONE_PATIENCE.toNanos();
        while (!health().ready()) {
            if (time.monotonicNanos() > until) {
                throw new StartException("did not get ready within " + ALONE_PATIENCE.toSeconds() + " s"
                        + (health().problems().isEmpty() ? "" : ": " + String.join("; ", health().problems())));
            }
            try {
                Thread.sleep(POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new StartException("was interrupted while it started", e);
            }
        }
    }

    /** What it prints when it is ready: one line. */
    String readyLine() {
        ServerConfig.Addresses addresses = config.addresses();
        return "tidemark server " + owner.serverId() + " ready: clients "
                + shown(addresses.listen(), addresses.clientPort())
                + ", raft " + shown(addresses.listen(), addresses.raftPort())
                + (http == null ? "" : ", http " + shown(addresses.listen(), addresses.httpPort()))
                + ", data " + config.directories().data();
    }

    private static String shown(String host, int port) {
        return Hosts.shown(host) + ":" + port;
    }

    /**
     * Refuses new calls, lets what is written finish for a time, takes a checkpoint of each group and closes all. Does nothing when
     * called again.
     */
    void stop(Duration patience) {
        serving = false;
        GrpcServer clientPort = grpc;
        if (clientPort != null) {
            clientPort.stop(patience);
        }
        for (int i = started.size() - 1; i >= 0; i--) {
            try {
                started.get(i).run();
            } catch (IOException | RuntimeException e) {
                // The rest must be closed too, above all the lock.
                LOG.warn("not closed cleanly: {}", e.getMessage());
            }
        }
        started.clear();
    }
}
