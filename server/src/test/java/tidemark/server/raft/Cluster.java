package tidemark.server.raft;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tidemark.server.raft.RaftHost.Member;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.Outcome;

/** Servers in this process, with one group on all of them. */
final class Cluster implements AutoCloseable {
    static final GroupId GROUP = new GroupId(new UUID(1, 1));

    /** Far more than anything here takes; a test that reaches it has failed. */
    private static final long PATIENCE_SECONDS = 60;

    final List<Node> nodes = new ArrayList<>();
    /** Run when a node asks for another's manifest. */
    volatile Runnable beforeManifest = () -> {};

    private final RaftSettings settings;

    Cluster(Path directory, int size, RaftSettings settings) throws IOException {
        this.settings = settings;
        List<Member> members = members(size);
        for (Member member : members) {
            nodes.add(new Node(
                    member, directory.resolve(member.id()), Node.snapshotsOf(nodes, () -> beforeManifest.run())));
        }
    }

    /** With other machines. */
    Cluster(
            Path directory,
            int size,
            RaftSettings settings,
            PeerSnapshots peers,
            Function<Path, MachineFactory> machines)
            throws IOException {
        this.settings = settings;
        for (Member member : members(size)) {
            Path own = directory.resolve(member.id());
            nodes.add(new Node(member, own, peers, machines.apply(own)));
        }
    }

    /** On ports that are free now; all are held until the last is chosen, so that they differ. */
    private static List<Member> members(int size) throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            members.add(new Member("s" + i, "127.0.0.1", 1, sockets.get(i).getLocalPort()));
        }
        for (ServerSocket socket : sockets) {
            socket.close();
        }
        return members;
    }

    /** Elections as fast as a busy machine with two cores allows. */
    static RaftSettings settings() {
        RaftSettings d = RaftSettings.DEFAULT;
        return new RaftSettings(
                Duration.ofMillis(400),
                Duration.ofMillis(800),
                d.entryBytesMax(),
                d.journalBytesKept(),
                d.checkpointBytes(),
                d.checkpointInterval(),
                d.proposalTimeout());
    }

    /** A checkpoint after each little, and a journal that keeps nothing. */
    static RaftSettings purgingSettings() {
        RaftSettings s = settings();
        return new RaftSettings(
                s.electionTimeoutMin(),
                s.electionTimeoutMax(),
                s.entryBytesMax(),
                0,
                1 << 20,
                Duration.ofMillis(300),
                s.proposalTimeout());
    }

    List<Member> members() {
        return nodes.stream().map(n -> n.member).toList();
    }

    Cluster start() throws IOException {
        for (Node node : nodes) {
            start(node);
        }
        return this;
    }

    void start(Node node) throws IOException {
        start(node, settings);
    }

    void start(Node node, RaftSettings settings) throws IOException {
        node.start(settings).addGroup(GROUP, members());
    }

    void stopAll() throws IOException {
        for (Node node : nodes) {
            node.stop();
        }
    }

    /** The node that leads now; waits for one. */
    Node leader() {
        return await(
                "a leader",
                () -> nodes.stream()
                        .filter(n -> n.runs() && n.group(GROUP).leadership().leads())
                        .findFirst());
    }

    Node follower() {
        Node leader = leader();
        return nodes.stream().filter(n -> n.runs() && n != leader).findFirst().orElseThrow();
    }

    List<Node> followers() {
        Node leader = leader();
        return nodes.stream().filter(n -> n.runs() && n != leader).toList();
    }

    /** Appends through whoever leads, until it works; nothing in these tests may be indeterminate while it is used. */
    Outcome append(String text) {
        return append(text.getBytes(StandardCharsets.UTF_8));
    }

    Outcome append(byte[] bytes) {
        return await("an append", () -> {
            try {
                return Optional.of(result(leader().group(GROUP), bytes));
            } catch (ProposalException e) {
                if (e.kind() == ProposalException.Kind.INDETERMINATE) {
                    throw new IllegalStateException(e);
                }
                return Optional.empty();
            }
        });
    }

    static Outcome result(HostedGroup group, byte[] bytes) throws ProposalException {
        try {
            return group.propose(bytes).get(PATIENCE_SECONDS, TimeUnit.SECONDS).get(0);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ProposalException p) {
                throw p;
            }
            throw new IllegalStateException(e);
        } catch (InterruptedException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Waits until all running nodes hold the same notes, this many. */
    void awaitSame(long count) {
        await(
                count + " notes everywhere",
                () -> nodes.stream()
                        .filter(Node::runs)
                        .allMatch(n -> n.machine(GROUP).count() == count));
        byte[] expected = leader().machine(GROUP).bytes();
        for (Node node : nodes) {
            if (node.runs()
                    && !java.util.Arrays.equals(expected, node.machine(GROUP).bytes())) {
                throw new AssertionError(node.member.id() + " differs from the leader");
            }
        }
    }

    static void await(String what, BooleanSupplier condition) {
        var unused = await(what, () -> condition.getAsBoolean() ? Optional.of(true) : Optional.empty());
    }

    static <T> T await(String what, Supplier<Optional<T>> supplier) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        @Nullable RuntimeException last = null;
        while (System.nanoTime() < end) {
            try {
                Optional<T> value = supplier.get();
                if (value.isPresent()) {
                    return value.get();
                }
            } catch (IllegalStateException e) {
                last = e; // a group between two lives, say
            }
            LockSupport.parkNanos(5_000_000);
        }
        throw new AssertionError("waited in vain for " + what, last);
    }

    @Override
    public void close() throws IOException {
        stopAll();
    }
}
