package tidemark.statemachine.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static tidemark.statemachine.catalog.CatalogFixture.DIRECTORY;
import static tidemark.statemachine.catalog.CatalogFixture.group;
import static tidemark.statemachine.catalog.CatalogFixture.settings;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import tidemark.engine.proto.CatalogCheckpoint;
import tidemark.engine.proto.CatalogGroup;
import tidemark.engine.proto.CatalogStream;
import tidemark.engine.proto.CatalogTombstone;
import tidemark.statemachine.env.FakeFileSystem;
import tidemark.statemachine.env.FakeFileSystem.Fault;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.manifest.ManifestStore;
import tidemark.statemachine.model.LogPosition;
import tidemark.statemachine.model.Outcome;
import tidemark.statemachine.model.StreamEntry.StreamSettings;

/** What a catalog machine keeps over checkpoints and crashes. */
class CatalogCheckpointTest {
    private static LogPosition at(long index) {
        return new LogPosition(1, index);
    }

    @Test
    void newMachineStandsAtTheBeginning() throws Exception {
        CatalogMachine machine = new CatalogFixture().machine();
        assertThat(machine.applied()).isEqualTo(LogPosition.NONE);
        assertThat(machine.lastCheckpoint()).isEmpty();
        assertThat(machine.checkpoint()).isEqualTo(LogPosition.NONE);
        assertThat(machine.lastCheckpoint()).as("nothing is there to be kept").isEmpty();
    }

    @Test
    void checkpointKeepsTheWholeState() throws Exception {
        CatalogFixture catalog = new CatalogFixture();
        catalog.servers(5);
        catalog.create("a", 1, settings(3));
        catalog.create("b", 2, settings(5));
        catalog.create("c", 3, settings(1));
        catalog.apply(CatalogCommands.deleteStream("b", Optional.empty()));
        catalog.apply(CatalogCommands.markSealed(CatalogFixture.stream(3)));
        CatalogState before = catalog.state();
        assertThat(catalog.machine().bytesSinceCheckpoint()).isPositive();
        assertThat(catalog.machine().checkpoint()).isEqualTo(catalog.machine().applied());
        assertThat(catalog.machine().bytesSinceCheckpoint()).isZero();

        catalog.files.crash();
        catalog.reopen();
        assertThat(catalog.machine().applied()).isEqualTo(at(10));
        assertThat(catalog.machine().lastCheckpoint()).contains(at(10));
        CatalogState after = catalog.state();
        assertThat(after.list("", "", 9)).isEqualTo(before.list("", "", 9)).hasSize(2);
        assertThat(List.copyOf(after.groups())).isEqualTo(List.copyOf(before.groups()));
        assertThat(after.tombstones()).isEqualTo(before.tombstones()).hasSize(1);
        assertThat(after.servers()).isEqualTo(before.servers());
        assertThat(after.bytes()).isEqualTo(before.bytes());
        for (int i = 1; i <= 5; i++) {
            assertThat(after.replicaCount("n" + i)).isEqualTo(before.replicaCount("n" + i));
        }
    }

    @Test
    void stateBackFromACrashIsThatOfTheCheckpoint() throws Exception {
        CatalogFixture catalog = new CatalogFixture();
        catalog.servers(1);
        catalog.machine().checkpoint();
        catalog.create("a", 1, settings(1));
        catalog.files.crash();
        catalog.reopen();
        assertThat(catalog.machine().applied()).isEqualTo(at(1));
        assertThat(catalog.state().streamCount()).isZero();
    }

    @Test
    void positionsWithoutEntriesAreCheckpointedToo() throws Exception {
        CatalogFixture catalog = new CatalogFixture();
        catalog.machine().advance(new LogPosition(2, 40));
        assertThat(catalog.machine().checkpoint()).isEqualTo(new LogPosition(2, 40));
        catalog.reopen();
        assertThat(catalog.machine().applied()).isEqualTo(new LogPosition(2, 40));
    }

    @Test
    void checkpointOfTheSamePositionWritesNothing() throws Exception {
        CatalogFixture catalog = new CatalogFixture();
        catalog.servers(1);
        catalog.machine().checkpoint();
        long changes = catalog.files.changes();
        assertThat(catalog.machine().checkpoint()).isEqualTo(at(1));
        assertThat(catalog.files.changes()).isEqualTo(changes);
    }

    @Test
    void entriesAreAppliedOnceAndInOrder() throws Exception {
        CatalogMachine machine = new CatalogFixture().machine();
        ByteBuffer entry = ByteBuffer.wrap(CatalogCommands.barrier());
        machine.apply(at(5), entry);
        assertThat(entry.hasRemaining()).as("the buffer is left alone").isTrue();
        assertThatThrownBy(() -> machine.apply(at(5), entry)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> machine.apply(at(4), entry)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> machine.advance(at(5))).isInstanceOf(IllegalArgumentException.class);
        assertThat(machine.apply(at(6), entry)).containsExactly(new Outcome.Done());
    }

    @Test
    void entryThatIsNotUnderstoodStopsTheMachineAndChangesNothing() throws Exception {
        byte[] good = CatalogCommands.registerServers(List.of(CatalogFixture.server(1)));
        // A command (field 1) that has only a field 99, which a newer version may know.
        byte[] unknownKind = CatalogCommands.join(List.of(good, new byte[] {0x0a, 0x03, (byte) 0x9a, 0x06, 0x00}));
        for (byte[] bad : List.of(unknownKind, new byte[] {0x0a, 0x7f}, new byte[] {(byte) 0xff})) {
            CatalogFixture catalog = new CatalogFixture();
            assertThatThrownBy(() -> catalog.applyAll(bad))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("cannot apply entry");
            assertThat(catalog.state().servers()).isEmpty();
            assertThatThrownBy(() -> catalog.applyAll(good)).hasMessageContaining("failed before");
            assertThatThrownBy(() -> catalog.machine().checkpoint()).hasMessageContaining("failed before");
        }
    }

    @Test
    void failedCheckpointStopsTheMachineUntilItIsOpenedAgain() throws Exception {
        CatalogFixture catalog = new CatalogFixture();
        catalog.servers(1);
        catalog.machine().checkpoint();
        catalog.create("a", 1, settings(1));
        catalog.files.failAt(2, Fault.NO_SPACE);
        assertThatThrownBy(() -> catalog.machine().checkpoint()).isInstanceOf(StorageException.class);
        assertThatThrownBy(() -> catalog.machine().checkpoint()).hasMessageContaining("failed before");
        assertThatThrownBy(() -> catalog.machine().sync()).hasMessageContaining("failed before");
        assertThat(catalog.machine().lastCheckpoint()).contains(at(1));
        assertThat(catalog.state().stream("a")).as("reading goes on").isPresent();
        catalog.reopen();
        assertThat(catalog.machine().applied()).isEqualTo(at(1));
    }

    @Test
    void closedMachineRefuses() throws Exception {
        CatalogFixture catalog = new CatalogFixture();
        catalog.machine().close();
        assertThatThrownBy(() -> catalog.servers(1))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void payloadThatNoMachineWritesIsCorrupt() throws Exception {
        ByteString id = CatalogCodec.bytes(group(1).value());
        CatalogStream stream = CatalogStream.newBuilder()
                .setName("a")
                .setId(id)
                .setGroupId(id)
                .setSettings(CatalogCodec.toProto(settings(1)))
                .build();
        CatalogGroup group =
                CatalogGroup.newBuilder().setId(id).addReplicas("n1").build();
        CatalogTombstone tombstone =
                CatalogTombstone.newBuilder().setGroupId(id).addServers("n1").build();
        CatalogCheckpoint.Builder empty = CatalogCheckpoint.newBuilder().setPayloadVersion(1);
        assertThat(CatalogCodec.decode("x", empty.build().toByteArray()).streamCount())
                .isZero();
        for (CatalogCheckpoint.Builder bad : List.of(
                empty.clone().addStreams(stream),
                empty.clone().addGroups(group),
                empty.clone().addGroups(group).addGroups(group).addStreams(stream),
                empty.clone().addGroups(group).addStreams(stream).addStreams(stream),
                empty.clone().addGroups(group).addStreams(stream).addTombstones(tombstone),
                empty.clone().addTombstones(tombstone).addTombstones(tombstone),
                empty.clone().addTombstones(tombstone.toBuilder().clearServers()),
                empty.clone().addGroups(group.toBuilder().setId(ByteString.EMPTY)))) {
            assertThatThrownBy(() -> CatalogCodec.decode("x", bad.build().toByteArray()))
                    .as(bad.toString())
                    .isInstanceOf(StorageException.Corrupt.class)
                    .hasMessageContaining("x (payload)");
        }
        assertThatThrownBy(() -> CatalogCodec.decode("x", new byte[] {1, 2, 3}))
                .isInstanceOf(StorageException.Corrupt.class);
    }

    @Test
    void payloadOfAnotherVersionIsNotCorrupt() throws Exception {
        CatalogFixture catalog = new CatalogFixture();
        byte[] payload =
                CatalogCheckpoint.newBuilder().setPayloadVersion(2).build().toByteArray();
        new ManifestStore(catalog.files, DIRECTORY).write(at(3), payload);
        assertThatThrownBy(catalog::reopen)
                .isInstanceOf(StorageException.UnsupportedVersion.class)
                .hasMessageContaining("too new")
                .hasMessageContaining(DIRECTORY);
    }

    @Test
    void checkpointSentByAnotherServerOpensAsItsState() throws Exception {
        CatalogFixture leader = new CatalogFixture();
        leader.servers(3);
        leader.create("a", 1, settings(3));
        assertThat(leader.machine().newestManifest())
                .as("before the first checkpoint")
                .isEmpty();
        leader.machine().checkpoint();
        byte[] sent = leader.machine().newestManifest().orElseThrow();

        CatalogFixture follower = new CatalogFixture();
        ManifestStore.Stored received = ManifestStore.decode("from n1", sent);
        new ManifestStore(follower.files, DIRECTORY).write(received.position(), received.payload());
        follower.reopen();
        assertThat(follower.machine().applied()).isEqualTo(leader.machine().applied());
        assertThat(CatalogFixture.payload(follower.state())).isEqualTo(CatalogFixture.payload(leader.state()));
    }

    // ---- properties
    // ---------------------------------------------------------------------------------------------------------------

    /**
     * A machine that is checkpointed, crashed in all ways and opened again at random, and then replays the log from where it stands,
     * gives the same outcomes and the same checkpoint, byte for byte, as one that is never interrupted.
     */
    @Test
    void crashesAndReplaysChangeNothing() throws Exception {
        for (int seed = 0; seed < 200; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            List<byte[]> log = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                log.add(randomEntry(random, i));
            }
            CatalogMachine steady = CatalogMachine.open(new FakeFileSystem(), DIRECTORY);
            List<List<Outcome>> expected = new ArrayList<>();
            for (int i = 0; i < log.size(); i++) {
                expected.add(steady.apply(at(i), ByteBuffer.wrap(log.get(i))));
            }
            CatalogMachine troubled = runWithCrashes(seed, log, expected, random);
            assertThat(CatalogFixture.payload(troubled.state()))
                    .as("seed %d", seed)
                    .isEqualTo(CatalogFixture.payload(steady.state()));
            assertThat(troubled.state().bytes())
                    .as("seed %d", seed)
                    .isEqualTo(steady.state().bytes());
            assertThat(troubled.state().replicaCounts().values().stream()
                            .filter(count -> count != 0)
                            .toList())
                    .as("seed %d", seed)
                    .containsExactlyInAnyOrderElementsOf(steady.state().replicaCounts().values().stream()
                            .filter(count -> count != 0)
                            .toList());
        }
    }

    private static CatalogMachine runWithCrashes(
            int seed, List<byte[]> log, List<List<Outcome>> expected, RandomGenerator random) throws StorageException {
        FakeFileSystem files = new FakeFileSystem();
        CatalogMachine machine = CatalogMachine.open(files, DIRECTORY);
        Optional<LogPosition> returned = Optional.empty();
        int next = 0;
        while (next < log.size()) {
            assertThat(machine.apply(at(next), ByteBuffer.wrap(log.get(next))))
                    .as("seed %d, entry %d", seed, next)
                    .isEqualTo(expected.get(next));
            next++;
            if (random.nextInt(5) == 0) {
                if (random.nextInt(3) == 0) {
                    files.cutPowerAt(1 + random.nextInt(9));
                }
                try {
                    returned = Optional.of(machine.checkpoint());
                } catch (StorageException e) {
                    assertThat(files.powerIsCut()).isTrue();
                }
            }
            if (files.powerIsCut() || random.nextInt(10) == 0) {
                crash(files, random);
                machine = CatalogMachine.open(files, DIRECTORY);
                assertThat(machine.applied().index())
                        .as("seed %d: a checkpoint that returned is kept", seed)
                        .isGreaterThanOrEqualTo(returned.map(LogPosition::index).orElse(-1L));
                returned = machine.lastCheckpoint();
                next = (int) machine.applied().index() + 1;
            }
        }
        return machine;
    }

    private static void crash(FakeFileSystem files, RandomGenerator random) {
        switch (random.nextInt(3)) {
            case 0 -> files.crash();
            case 1 -> files.killProcess();
            default -> files.crash(random);
        }
    }

    private static byte[] randomEntry(RandomGenerator random, int number) {
        List<byte[]> commands = new ArrayList<>();
        for (int i = random.nextInt(4); i >= 0; i--) {
            commands.add(randomCommand(random, number * 10 + i));
        }
        return CatalogCommands.join(commands);
    }

    private static byte[] randomCommand(RandomGenerator random, int number) {
        String name = "s" + random.nextInt(8) + (random.nextInt(20) == 0 ? "/" : "");
        int some = Math.max(0, number - random.nextInt(200));
        return switch (random.nextInt(10)) {
            case 0 -> CatalogCommands.registerServers(List.of(CatalogFixture.server(1 + random.nextInt(6))));
            case 1, 2, 3 ->
                CatalogCommands.createStream(
                        name, CatalogFixture.stream(number), group(number), randomSettings(random), number);
            case 4, 5 ->
                CatalogCommands.updateStream(
                        name,
                        random.nextBoolean() ? OptionalInt.of(random.nextInt(1_100_000)) : OptionalInt.empty(),
                        Map.of("k" + random.nextInt(3), "v" + random.nextInt(3), "l", "v"),
                        Set.of("k" + random.nextInt(4)),
                        random.nextInt(3) == 0 ? OptionalLong.of(random.nextInt(4)) : OptionalLong.empty());
            case 6 ->
                CatalogCommands.deleteStream(
                        name, random.nextInt(4) == 0 ? Optional.of(CatalogFixture.stream(some)) : Optional.empty());
            case 7, 8 -> CatalogCommands.confirmGroupRemoved(group(some), "n" + (1 + random.nextInt(6)));
            default -> CatalogCommands.markSealed(CatalogFixture.stream(some));
        };
    }

    private static StreamSettings randomSettings(RandomGenerator random) {
        int replicas = new int[] {1, 1, 3, 3, 5, 2}[random.nextInt(6)];
        return new StreamSettings(replicas, 1 + random.nextInt(3), new TreeMap<>(Map.of("b", "1", "a", "2")));
    }

    @Test
    void equalStatesHaveEqualBytesWhateverTheWayToThem() throws Exception {
        CatalogFixture one = new CatalogFixture();
        CatalogFixture other = new CatalogFixture();
        one.servers(3);
        other.apply(CatalogCommands.registerServers(
                List.of(CatalogFixture.server(3), CatalogFixture.server(1), CatalogFixture.server(2))));
        one.create("a", 1, settings(3));
        one.create("b", 2, settings(3));
        other.create("b", 2, settings(3));
        other.create("a", 1, settings(3));
        assertThat(CatalogFixture.payload(other.state())).isEqualTo(CatalogFixture.payload(one.state()));
    }
}
