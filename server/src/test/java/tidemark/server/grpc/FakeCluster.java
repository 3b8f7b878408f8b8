package tidemark.server.grpc;

import static java.util.Objects.requireNonNull;

import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import tidemark.server.batch.BatchLimits;
import tidemark.server.batch.BatchMetrics;
import tidemark.server.batch.Batchers;
import tidemark.server.batch.ServerTime;
import tidemark.server.raft.HostedGroup;
import tidemark.server.raft.RaftHost;
import tidemark.statemachine.env.RealFileSystem;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.machine.GroupMachine;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.StreamEntry;
import tidemark.statemachine.segment.EngineLimits;
import tidemark.statemachine.segment.Layout;
import tidemark.v1.AdminServiceGrpc;
import tidemark.v1.CreateStreamRequest;
import tidemark.v1.LogServiceGrpc;
import tidemark.v1.StreamSettings;

/** Servers with real client ports on loopback, over fakes of Raft, the catalog and the engine. Server 1 leads whatever is new. */
final class FakeCluster implements AutoCloseable {
    static final String CLUSTER_ID = "cluster-1";
    private static final GroupId CATALOG = new GroupId(new UUID(9, 9));

    final List<Node> nodes = new ArrayList<>();
    final FakeLog catalogLog;
    final ManualTime time = new ManualTime();
    private final Map<GroupId, FakeLog> logs = new ConcurrentHashMap<>();
    private final ExecutorService callbacks = Executors.newFixedThreadPool(2, Threads.named("test-callbacks"));
    private final Optional<Path> root;
    private volatile boolean newGroupsLead = true;

    /** Settings with short waits where a test waits for them. */
    static GrpcSettings settings() {
        return new GrpcSettings(
                "127.0.0.1",
                0,
                2 << 20,
                100,
                20,
                2,
                Duration.ofSeconds(5),
                Duration.ofSeconds(5),
                Duration.ofSeconds(5));
    }

    FakeCluster(int servers) {
        this(servers, settings(), Optional.empty());
    }

    /** With the real machine of each group, on the disk. */
    static FakeCluster onEngine(int servers) {
        try {
            Path root = Files.createTempDirectory(Files.createDirectories(Path.of("target", "engines")), "cluster");
            return new FakeCluster(servers, settings(), Optional.of(root));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** @param root where the machines of groups have their files; empty for none, only models */
    private FakeCluster(int servers, GrpcSettings settings, Optional<Path> root) {
        this.root = root;
        List<String> ids = new ArrayList<>();
        for (int i = 1; i <= servers; i++) {
            ids.add("s" + i);
        }
        catalogLog = new FakeLog(CATALOG, ids);
        catalogLog.lead("s1");
        logs.put(CATALOG, catalogLog);
        FakeCatalog.Shared shared = new FakeCatalog.Shared(logs);
        List<RaftHost.Member> members = new CopyOnWriteArrayList<>();
        for (String id : ids) {
            nodes.add(new Node(id, settings, shared, members));
        }
        // Ports are known only now.
        for (Node node : nodes) {
            members.add(new RaftHost.Member(node.id, "127.0.0.1", node.server.port(), 1));
        }
        nodes.forEach(Node::serve);
    }

    Node node(int number) {
        return nodes.get(number - 1);
    }

    FakeLog log(String stream) {
        return requireNonNull(
                logs.get(node(1).catalog.stream(stream).orElseThrow().group()));
    }

    FakeStream stored(String stream) {
        return log(stream).stream(node(1).catalog.stream(stream).orElseThrow().id())
                .orElseThrow();
    }

    /** Groups of new streams stay without a leader. */
    void newGroupsStayWithoutLeader() {
        newGroupsLead = false;
    }

    /** Creates a stream with a replica on each server. */
    FakeLog create(String name) {
        return create(name, nodes.size());
    }

    FakeLog create(String name, int replicas) {
        AdminServiceGrpc.newBlockingStub(node(1).channel)
                .createStream(CreateStreamRequest.newBuilder()
                        .setName(name)
                        .setSettings(StreamSettings.newBuilder().setReplicas(replicas))
                        .build());
        return log(name);
    }

    private StreamEntry startGroup(StreamEntry entry) {
        List<String> ids = nodes.stream()
                .map(node -> node.id)
                .limit(entry.settings().replicas())
                .toList();
        FakeLog log = new FakeLog(entry.group(), ids, server -> machine(entry.group(), server));
        if (newGroupsLead) {
            log.lead("s1");
        }
        logs.put(entry.group(), log);
        return entry;
    }

    private Optional<GroupMachine> machine(GroupId group, String serverId) {
        return root.map(directory -> {
            try {
                // Small segments, so that tests meet many.
                return GroupMachine.open(
                        new RealFileSystem(directory.resolve(serverId)),
                        Layout.of(group),
                        EngineLimits.DEFAULT.withSegmentBytes(1 << 20));
            } catch (StorageException failure) {
                throw new AssertionError(failure);
            }
        });
    }

    @Override
    public void close() {
        logs.values().forEach(FakeLog::release);
        nodes.forEach(Node::close);
        callbacks.shutdownNow();
        logs.values().forEach(FakeLog::closeMachines);
    }

    /** One server. */
    final class Node implements AutoCloseable {
        final String id;
        final GrpcServer server;
        final FakeCatalog catalog;
        final FakeStored stored = new FakeStored();
        final PeerChannels channels;
        final ManagedChannel channel;
        final List<String> problems = new CopyOnWriteArrayList<>();
        final Batchers batchers = new Batchers(BatchLimits.DEFAULT, time, callbacks, BatchMetrics.NONE);
        final RaftHost raft;

        Node(String id, GrpcSettings settings, FakeCatalog.Shared shared, List<RaftHost.Member> members) {
            this.id = id;
            this.catalog = new FakeCatalog(
                    shared, catalogLog.replica(id).orElseThrow(), members, FakeCluster.this::startGroup);
            this.channels = new PeerChannels(catalog::member);
            this.raft = new FakeRaft(id, problems);
            this.server = new GrpcServer(
                    settings, new ServerIdentity("test", CLUSTER_ID, id, "1.2.3"), channels, RpcMetrics.NONE, time);
            try {
                server.start();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
            this.channel = NettyChannelBuilder.forAddress("127.0.0.1", server.port())
                    .usePlaintext()
                    .maxInboundMessageSize(16 << 20)
                    .build();
        }

        void serve() {
            server.serve(raft, catalog, batchers, stored, stored);
        }

        LogServiceGrpc.LogServiceBlockingStub log() {
            return LogServiceGrpc.newBlockingStub(channel);
        }

        LogServiceGrpc.LogServiceStub asyncLog() {
            return LogServiceGrpc.newStub(channel);
        }

        AdminServiceGrpc.AdminServiceBlockingStub admin() {
            return AdminServiceGrpc.newBlockingStub(channel);
        }

        @Override
        public void close() {
            channel.shutdownNow();
            server.close();
            channels.close();
        }
    }

    static Metadata metadata(String key, String value) {
        Metadata metadata = new Metadata();
        metadata.put(Metadata.Key.of(key, Metadata.ASCII_STRING_MARSHALLER), value);
        return metadata;
    }

    static io.grpc.ClientInterceptor with(String key, String value) {
        return MetadataUtils.newAttachHeadersInterceptor(metadata(key, value));
    }

    /** A clock that the test moves; it stands still otherwise, but for what waits really. */
    static final class ManualTime implements ServerTime {
        private volatile long wallMillis = 1_000_000;
        private final AtomicLong skippedNanos = new AtomicLong();

        void wall(long millis) {
            wallMillis = millis;
        }

        void skip(Duration duration) {
            skippedNanos.addAndGet(duration.toNanos());
        }

        @Override
        public long wallMillis() {
            return wallMillis;
        }

        @Override
        public long monotonicNanos() {
            return System.nanoTime() + skippedNanos.get();
        }
    }

    private final class FakeRaft implements RaftHost {
        private final String serverId;
        private final List<String> problems;

        FakeRaft(String serverId, List<String> problems) {
            this.serverId = serverId;
            this.problems = problems;
        }

        @Override
        public void addGroup(GroupId id, List<Member> members) {
            throw new AssertionError("the services start no groups");
        }

        @Override
        public void removeGroup(GroupId id) {
            throw new AssertionError("the services remove no groups");
        }

        @Override
        public Set<GroupId> groups() {
            return logs.entrySet().stream()
                    .filter(log -> log.getValue().serverIds().contains(serverId))
                    .map(Map.Entry::getKey)
                    .collect(Collectors.toSet());
        }

        @Override
        public Optional<HostedGroup> group(GroupId id) {
            return Optional.ofNullable(logs.get(id)).flatMap(log -> log.replica(serverId));
        }

        @Override
        public List<String> problems() {
            return problems;
        }

        @Override
        public void close() {
            // Nothing runs.
        }
    }
}
