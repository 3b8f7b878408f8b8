package tidemark.server.raft;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import tidemark.server.raft.RaftHost.Member;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.machine.Machine;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.LogPosition;

/** One server of a test cluster: its directory, which survives, and its host, which is closed and opened again. */
final class Node implements MachineFactory {
    final Member member;
    final Path directory;
    final List<String> failures = new CopyOnWriteArrayList<>();
    final AtomicLong checkpoints = new AtomicLong();
    final AtomicLong installs = new AtomicLong();
    private final PeerSnapshots peers;
    private final @Nullable MachineFactory machines;
    private @Nullable RatisHost host;

    Node(Member member, Path directory, PeerSnapshots peers) {
        this(member, directory, peers, null);
    }

    /** @param machines null for {@link NoteMachine}s */
    Node(Member member, Path directory, PeerSnapshots peers, @Nullable MachineFactory machines) {
        this.member = member;
        this.directory = directory;
        this.peers = peers;
        this.machines = machines;
    }

    Path journal() {
        return directory.resolve("journal");
    }

    Path journal(GroupId group) {
        return journal().resolve(group.toString()).resolve("current");
    }

    Path checkpointFile(GroupId group) {
        return directory.resolve(group + ".checkpoint");
    }

    RatisHost start(RaftSettings settings) throws IOException {
        Files.createDirectories(directory);
        RatisHost made = new RatisHost(
                new RaftNode(member.id(), "127.0.0.1", member.raftPort(), journal()),
                settings,
                machines == null ? this : machines,
                peers,
                (group, problem, cause) -> failures.add(problem),
                RaftMeter.NONE,
                System::nanoTime);
        made.start();
        host = made;
        return made;
    }

    RatisHost host() {
        if (host == null) {
            throw new IllegalStateException(member.id() + " does not run");
        }
        return host;
    }

    boolean runs() {
        return host != null;
    }

    void stop() throws IOException {
        RatisHost old = host;
        host = null;
        if (old != null) {
            old.close();
        }
    }

    HostedGroup group(GroupId id) {
        return host().group(id)
                .orElseThrow(() -> new IllegalStateException(id + " on " + member.id() + ": " + host().problems()));
    }

    NoteMachine machine(GroupId id) {
        return (NoteMachine) group(id).machine();
    }

    @Override
    public Machine open(GroupId group) throws StorageException {
        return new NoteMachine(checkpointFile(group), checkpoints);
    }

    @Override
    public void delete(GroupId group) throws StorageException {
        try {
            Files.deleteIfExists(checkpointFile(group));
        } catch (IOException e) {
            throw new StorageException("cannot delete " + checkpointFile(group), e);
        }
    }

    @Override
    public SnapshotInstaller installer(GroupId group) {
        return (manifest, source) -> new SnapshotInstaller.Prepared() {
            @Override
            public LogPosition position() {
                return NoteMachine.positionIn(ByteBuffer.wrap(manifest));
            }

            @Override
            public void commit() throws StorageException {
                NoteMachine.write(checkpointFile(group), manifest);
                installs.incrementAndGet();
            }

            @Override
            public void discard() {
                // Nothing was fetched but the manifest.
            }
        };
    }

    /** Reads the checkpoint files of the other nodes. */
    static PeerSnapshots snapshotsOf(List<Node> nodes, Runnable beforeManifest) {
        return new PeerSnapshots() {
            @Override
            public byte[] manifest(String serverId, GroupId group) throws IOException {
                beforeManifest.run();
                Optional<Node> node = nodes.stream()
                        .filter(n -> n.member.id().equals(serverId))
                        .findFirst();
                return Files.readAllBytes(node.orElseThrow(() -> new IOException("no " + serverId))
                        .checkpointFile(group));
            }

            @Override
            public void segment(
                    String serverId,
                    GroupId group,
                    tidemark.statemachine.model.StreamId stream,
                    long baseOffset,
                    long from,
                    long to,
                    ChunkSink sink) {
                throw new UncheckedIOException(new IOException("notes have no segments"));
            }
        };
    }
}
