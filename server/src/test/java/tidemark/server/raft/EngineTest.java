package tidemark.server.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static tidemark.server.raft.Cluster.GROUP;
import static tidemark.server.raft.Cluster.await;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tidemark.engine.proto.Append;
import tidemark.engine.proto.Command;
import tidemark.engine.proto.Entry;
import tidemark.engine.proto.OpenStream;
import tidemark.engine.proto.Truncate;
import tidemark.statemachine.env.RealFileSystem;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.env.StorageFile;
import tidemark.statemachine.format.Batch;
import tidemark.statemachine.machine.GroupMachine;
import tidemark.statemachine.machine.Machine;
import tidemark.statemachine.machine.SnapshotInstall;
import tidemark.statemachine.machine.StreamView;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.LogPosition;
import tidemark.statemachine.model.Outcome;
import tidemark.statemachine.model.StreamId;
import tidemark.statemachine.segment.EngineLimits;
import tidemark.statemachine.segment.Layout;
import tidemark.statemachine.segment.SegmentFiles;

/** The host with the real engine: what the followers hold is the same, byte for byte, however they got it. */
@Timeout(240)
class EngineTest {
    private static final StreamId STREAM = new StreamId(new UUID(3, 3));
    private static final Layout LAYOUT = Layout.of(GROUP);

    @TempDir
    Path directory;

    private final Map<Path, Engine> engines = new ConcurrentHashMap<>();
    private final Random random = new Random(11);

    @Test
    void followerFarBehindFetchesSegmentsAndHoldsTheSameBytesBeforeAndAfterRestarts() throws Exception {
        try (Cluster cluster =
                new Cluster(directory, 3, Cluster.purgingSettings(), new Peers(), this::engine).start()) {
            assertThat(cluster.append(command(c -> c.setOpen(OpenStream.getDefaultInstance()))))
                    .isInstanceOf(Outcome.Done.class);
            append(cluster, 10);
            Node behind = cluster.follower();
            behind.stop();
            append(cluster, 60); // some six segments of 1 MiB
            assertThat(cluster.append(
                            command(c -> c.setTruncate(Truncate.newBuilder().setBeforeOffset(25)))))
                    .isInstanceOf(Outcome.Truncated.class);
            append(cluster, 10);
            Node leader = cluster.leader();
            await("a purge", () -> firstIndex(leader) > 40);
            cluster.start(behind);
            append(cluster, 5);
            assertSameEverywhere(cluster, 85);
            assertThat(engine(behind.directory).installs).hasValueGreaterThan(0);

            cluster.stopAll();
            cluster.start();
            append(cluster, 5);
            assertSameEverywhere(cluster, 90);
            for (Node node : cluster.nodes) {
                assertThat(node.failures).isEmpty();
                assertThat(node.host().problems()).isEmpty();
            }
        }
    }

    private void append(Cluster cluster, int batches) {
        for (int i = 0; i < batches; i++) {
            byte[] body = new byte[100_000];
            random.nextBytes(body);
            Batch batch = Batch.of(1, 0, body.length, ByteBuffer.wrap(body));
            byte[] entry = command(c -> c.setAppend(Append.newBuilder()
                    .setRecordCount(1)
                    .setUncompressedBytes(body.length)
                    .setCrc32C(batch.crc32c())
                    .setBody(ByteString.copyFrom(body))));
            assertThat(cluster.append(entry)).isInstanceOf(Outcome.Appended.class);
        }
    }

    private static byte[] command(java.util.function.UnaryOperator<Command.Builder> kind) {
        ByteBuffer id = ByteBuffer.allocate(16);
        id.putLong(STREAM.value().getMostSignificantBits())
                .putLong(STREAM.value().getLeastSignificantBits())
                .flip();
        return Entry.newBuilder()
                .setTimestampMs(1)
                .addCommands(kind.apply(Command.newBuilder().setStreamId(ByteString.copyFrom(id))))
                .build()
                .toByteArray();
    }

    private void assertSameEverywhere(Cluster cluster, long end) {
        await(
                "the same end everywhere",
                () -> cluster.nodes.stream()
                        .allMatch(n -> view(n).map(StreamView::endOffset).equals(Optional.of(end))));
        // Truncated segments go with the next checkpoint, which is each server's own.
        await("the same files everywhere", () -> {
            SortedMap<String, String> expected = files(cluster.nodes.get(0));
            return expected.size() > 1 && cluster.nodes.stream().allMatch(n -> files(n).equals(expected));
        });
        for (Node node : cluster.nodes) {
            assertThat(view(node).map(StreamView::startOffset)).contains(25L);
        }
    }

    private static Optional<StreamView> view(Node node) {
        return ((GroupMachine) node.group(GROUP).machine()).stream(STREAM);
    }

    /** Segment files with their contents. */
    private static SortedMap<String, String> files(Node node) {
        SortedMap<String, String> found = new TreeMap<>();
        Path streams = node.directory.resolve("data").resolve(LAYOUT.stream(STREAM));
        try (var list = Files.list(streams)) {
            for (Path file : list.filter(p -> p.toString().endsWith(".seg")).toList()) {
                found.put(
                        file.getFileName().toString(),
                        new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return found;
    }

    private static long firstIndex(Node node) {
        try (var files = Files.list(node.journal(GROUP))) {
            return files.map(p -> p.getFileName().toString().replace("log_inprogress_", "log_"))
                    .filter(name -> name.startsWith("log_"))
                    .mapToLong(name -> Long.parseLong(name.substring(4).split("-", -1)[0]))
                    .min()
                    .orElse(0);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private Engine engine(Path serverDirectory) {
        return engines.computeIfAbsent(serverDirectory, Engine::new);
    }

    /** One server's machines. */
    private static final class Engine implements MachineFactory {
        final AtomicLong installs = new AtomicLong();
        volatile @Nullable GroupMachine newest;
        final RealFileSystem files;
        final SegmentFiles segments;

        Engine(Path serverDirectory) {
            try {
                Path data = Files.createDirectories(serverDirectory.resolve("data"));
                files = new RealFileSystem(data);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
            segments = new SegmentFiles(files, EngineLimits.DEFAULT.withSegmentBytes(1 << 20));
        }

        @Override
        public Machine open(GroupId group) throws StorageException {
            GroupMachine machine = GroupMachine.open(files, segments, Layout.of(group));
            newest = machine;
            return machine;
        }

        @Override
        public void delete(GroupId group) throws StorageException {
            files.deleteRecursively(Layout.of(group).manifests());
            files.deleteRecursively(Layout.of(group).streams());
        }

        @Override
        public SnapshotInstaller installer(GroupId group) {
            return (manifest, source) -> {
                SnapshotInstall install = SnapshotInstall.begin(files, segments, Layout.of(group), manifest);
                for (SnapshotInstall.MissingSegment missing : install.missing()) {
                    try (SnapshotInstall.Receiver receiver = install.receive(missing)) {
                        source.segment(
                                missing.stream(),
                                missing.baseOffset(),
                                missing.fromByte(),
                                missing.toByte(),
                                receiver::accept);
                        receiver.complete();
                    }
                }
                return prepared(install);
            };
        }

        private SnapshotInstaller.Prepared prepared(SnapshotInstall install) {
            return new SnapshotInstaller.Prepared() {
                @Override
                public LogPosition position() {
                    return install.position();
                }

                @Override
                public void commit() throws StorageException {
                    install.commit();
                    installs.incrementAndGet();
                }

                @Override
                public void discard() throws StorageException {
                    install.discard();
                }
            };
        }
    }

    /** Asks the other servers' machines. */
    private final class Peers implements PeerSnapshots {
        @Override
        public byte[] manifest(String serverId, GroupId group) throws IOException {
            return machine(serverId).newestManifest().orElseThrow(() -> new IOException("no manifest"));
        }

        @Override
        public void segment(
                String serverId, GroupId group, StreamId stream, long baseOffset, long from, long to, ChunkSink sink)
                throws IOException {
            try (StorageFile file = machine(serverId)
                    .openSegment(stream, baseOffset)
                    .orElseThrow(() -> new IOException("no segment " + baseOffset))) {
                for (long at = from; at < to; ) {
                    ByteBuffer chunk = ByteBuffer.allocate((int) Math.min(64 << 10, to - at));
                    int read = file.read(chunk, at);
                    if (read == 0) {
                        throw new IOException("the segment ends early");
                    }
                    at += read;
                    sink.accept(chunk.flip());
                }
            }
        }

        private GroupMachine machine(String serverId) throws IOException {
            GroupMachine machine = engine(directory.resolve(serverId)).newest;
            if (machine == null) {
                throw new IOException(serverId + " has no machine");
            }
            return machine;
        }
    }
}
