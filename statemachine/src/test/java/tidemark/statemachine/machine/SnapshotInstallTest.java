package tidemark.statemachine.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static tidemark.statemachine.env.Seeds.forAllSeeds;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import tidemark.statemachine.env.FakeFileSystem;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.env.StorageFile;
import tidemark.statemachine.machine.SnapshotInstall.MissingSegment;
import tidemark.statemachine.model.LogPosition;
import tidemark.statemachine.segment.SegmentFiles;

/** A replica takes over the checkpoint of another one, from whatever it has. */
class SnapshotInstallTest {
    private static final int ENTRIES = 30;

    private static SnapshotInstall begin(Replica to, byte[] manifest) throws StorageException {
        return SnapshotInstall.begin(to.files, new SegmentFiles(to.files, Replica.LIMITS), Replica.LAYOUT, manifest);
    }

    /** Sends bytes of a segment in chunks; the last ones are left out. */
    private static void send(Replica from, MissingSegment missing, SnapshotInstall.Receiver to, long leftOut)
            throws StorageException {
        try (StorageFile file = from.machine()
                .openSegment(missing.stream(), missing.baseOffset())
                .orElseThrow()) {
            long end = missing.toByte() - leftOut;
            for (long position = missing.fromByte(); position < end; ) {
                ByteBuffer chunk = ByteBuffer.allocate((int) Math.min(100, end - position));
                position += file.read(chunk, position);
                to.accept(chunk.flip());
            }
        }
    }

    private static void receiveAll(Replica from, SnapshotInstall install) throws StorageException {
        for (MissingSegment missing : install.missing()) {
            try (SnapshotInstall.Receiver receiver = install.receive(missing)) {
                send(from, missing, receiver, 0);
                receiver.complete();
            }
        }
    }

    private static byte[] manifest(Replica of) throws StorageException {
        return of.machine().newestManifest().orElseThrow();
    }

    /** A replica with a checkpoint after so many entries, if more than none, and some more applied. */
    private static Replica behind(RandomLog log, int checkpointed, int applied) throws StorageException {
        Replica replica = new Replica(new FakeFileSystem(), log.entries());
        if (checkpointed > 0) {
            replica.applyUpTo(checkpointed);
            replica.machine().checkpoint();
        }
        replica.applyUpTo(applied);
        return replica;
    }

    @Test
    void fromEveryLagTheReplicaBecomesEqualByteForByte() {
        forAllSeeds(5, random -> {
            RandomLog log = new RandomLog(random, 2, true).add(ENTRIES);
            Replica leader = behind(log, ENTRIES, ENTRIES);
            Map<String, String> expected = leader.durableState();
            for (int checkpointed = 0; checkpointed <= ENTRIES; checkpointed++) {
                int applied = random.nextInt(checkpointed, ENTRIES + 1);
                Replica follower = behind(log, checkpointed, applied);
                SnapshotInstall install = begin(follower, manifest(leader));
                receiveAll(leader, install);
                follower.assertEquals(log.modelAfter(applied));
                follower.machine().close();
                assertThat(install.commit()).isEqualTo(Replica.last(log.entries()));
                follower.reopen();
                assertThat(follower.machine().applied()).isEqualTo(Replica.last(log.entries()));
                follower.assertEquals(log.modelAfter(ENTRIES));
                follower.machine().checkpoint();
                assertThat(follower.durableState()).isEqualTo(expected);
            }
        });
    }

    @Test
    void whatIsHeldIsNotFetchedAgain() throws Exception {
        RandomLog log = new RandomLog(new SplittableRandom(3), 1, false).add(ENTRIES);
        Replica leader = behind(log, ENTRIES, ENTRIES);
        Replica follower = behind(log, ENTRIES - 1, ENTRIES - 1);
        assertThat(begin(leader, manifest(leader)).missing()).isEmpty();
        long all = bytes(begin(new Replica(new FakeFileSystem(), log.entries()), manifest(leader)));
        long rest = bytes(begin(follower, manifest(leader)));
        assertThat(rest).isLessThan(all / 2);
    }

    private static long bytes(SnapshotInstall install) {
        return install.missing().stream()
                .mapToLong(missing -> missing.toByte() - missing.fromByte())
                .sum();
    }

    @Test
    void anInterruptedTransferGoesOnWhereItWas() throws Exception {
        RandomLog log = new RandomLog(new SplittableRandom(4), 2, false).add(ENTRIES);
        Replica leader = behind(log, ENTRIES, ENTRIES);
        Replica follower = behind(log, 0, 0);
        SnapshotInstall first = begin(follower, manifest(leader));
        MissingSegment interrupted = first.missing().get(0);
        try (SnapshotInstall.Receiver receiver = first.receive(interrupted)) {
            send(leader, interrupted, receiver, 7);
            assertThatThrownBy(receiver::complete).isInstanceOf(IllegalStateException.class);
        }
        for (MissingSegment whole : first.missing().subList(1, first.missing().size())) {
            try (SnapshotInstall.Receiver receiver = first.receive(whole)) {
                send(leader, whole, receiver, 0);
                receiver.complete();
            }
        }
        assertThatThrownBy(first::commit)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not received");

        SnapshotInstall second = begin(follower, manifest(leader));
        assertThat(second.missing())
                .containsExactly(new MissingSegment(
                        interrupted.stream(),
                        interrupted.baseOffset(),
                        interrupted.toByte() - 7,
                        interrupted.toByte()));
        receiveAll(leader, second);
        follower.machine().close();
        second.commit();
        follower.reopen();
        follower.assertEquals(log.modelAfter(ENTRIES));
    }

    @Test
    void damagedBytesAreRefusedAndFetchedAnew() throws Exception {
        RandomLog log = new RandomLog(new SplittableRandom(5), 1, false).add(ENTRIES);
        Replica leader = behind(log, ENTRIES, ENTRIES);
        forAllSeeds(100, random -> {
            Replica follower = behind(log, 0, 0);
            SnapshotInstall install = begin(follower, manifest(leader));
            MissingSegment missing = install.missing().get(0);
            byte[] bytes = leader.files.contents(Replica.LAYOUT.segment(missing.stream(), missing.baseOffset()));
            bytes[random.nextInt((int) missing.toByte())] ^= (byte) (1 << random.nextInt(8));
            try (SnapshotInstall.Receiver receiver = install.receive(missing)) {
                receiver.accept(ByteBuffer.wrap(bytes, 0, (int) missing.toByte()));
                assertThatThrownBy(receiver::complete)
                        .isInstanceOfAny(StorageException.Corrupt.class, StorageException.UnsupportedVersion.class);
            }
            SnapshotInstall again = begin(follower, manifest(leader));
            assertThat(again.missing()).contains(missing);
            receiveAll(leader, again);
            follower.machine().close();
            again.commit();
            follower.reopen();
            follower.assertEquals(log.modelAfter(ENTRIES));
        });
    }

    @Test
    void anOwnPartThatIsDamagedIsFetched() throws Exception {
        RandomLog log = new RandomLog(new SplittableRandom(6), 1, false).addAppends(ENTRIES);
        Replica leader = behind(log, 3, 3);
        Replica follower = behind(log, 2, 2);
        MissingSegment partly = begin(follower, manifest(leader)).missing().get(0);
        assertThat(partly.fromByte()).as("a part is held").isPositive();
        begin(follower, manifest(leader)).discard();
        follower.files.flipBit(Replica.LAYOUT.segment(partly.stream(), partly.baseOffset()), partly.fromByte() - 1, 3);
        SnapshotInstall install = begin(follower, manifest(leader));
        assertThat(install.missing().get(0).fromByte()).isZero();
        receiveAll(leader, install);
        follower.machine().close();
        install.commit();
        follower.reopen();
        follower.assertEquals(log.modelAfter(3));
    }

    @Test
    void anOlderCheckpointIsRefused() throws Exception {
        RandomLog log = new RandomLog(new SplittableRandom(7), 1, false).add(ENTRIES);
        byte[] older = manifest(behind(log, 10, 10));
        Replica ahead = behind(log, 20, 20);
        assertThatThrownBy(() -> begin(ahead, older)).isInstanceOf(SnapshotInstall.Stale.class);

        Replica overtakes = behind(log, 5, 5);
        SnapshotInstall install = begin(overtakes, older);
        receiveAll(behind(log, 10, 10), install);
        overtakes.applyUpTo(20);
        overtakes.machine().checkpoint();
        overtakes.machine().close();
        assertThatThrownBy(install::commit).isInstanceOf(SnapshotInstall.Stale.class);
        overtakes.reopen();
        overtakes.assertEquals(log.modelAfter(20));
    }

    @Test
    void aDamagedManifestIsRefused() throws Exception {
        RandomLog log = new RandomLog(new SplittableRandom(8), 1, false).add(ENTRIES);
        byte[] manifest = manifest(behind(log, 10, 10));
        manifest[manifest.length - 1] ^= 1;
        assertThatThrownBy(() -> begin(behind(log, 5, 5), manifest)).isInstanceOf(StorageException.Corrupt.class);
    }

    @Test
    void aCrashAtAnyStepLeavesTheOldStateOrTheNewOne() {
        forAllSeeds(4, random -> {
            RandomLog log = new RandomLog(random, 2, false).add(ENTRIES);
            Replica leader = behind(log, ENTRIES, ENTRIES);
            Map<String, String> expected = leader.durableState();
            int checkpointed = random.nextInt(ENTRIES - 5);
            for (long step = 1; ; step++) {
                Replica follower = behind(log, checkpointed, Math.min(ENTRIES, checkpointed + random.nextInt(5)));
                follower.files.cutPowerAt(step);
                if (installs(leader, follower)) {
                    break;
                }
                if (random.nextBoolean()) {
                    follower.files.crash();
                } else {
                    follower.files.crash(random.split());
                }
                follower.reopen();
                assertOldOrNew(follower, log, checkpointed);
                if (!follower.machine().applied().equals(Replica.last(log.entries()))) {
                    assertThat(installs(leader, follower)).isTrue();
                    follower.reopen();
                }
                follower.machine().checkpoint();
                follower.assertEquals(log.modelAfter(ENTRIES));
                assertThat(follower.durableState()).isEqualTo(expected);
            }
        });
    }

    /** Whether it went through; else the power is cut. */
    private static boolean installs(Replica leader, Replica follower) {
        try {
            SnapshotInstall install = begin(follower, manifest(leader));
            receiveAll(leader, install);
            follower.machine().close();
            install.commit();
            return true;
        } catch (StorageException powerCut) {
            assertThat(follower.files.powerIsCut()).as(powerCut.getMessage()).isTrue();
            return false;
        }
    }

    private static void assertOldOrNew(Replica follower, RandomLog log, int checkpointed) throws StorageException {
        List<RandomLog.Logged> entries = log.entries();
        if (follower.machine().applied().equals(Replica.last(entries))) {
            follower.assertEquals(log.modelAfter(entries.size()));
        } else {
            LogPosition old = checkpointed == 0
                    ? LogPosition.NONE
                    : entries.get(checkpointed - 1).at();
            assertThat(follower.machine().applied()).isEqualTo(old);
            follower.assertEquals(log.modelAfter(checkpointed));
        }
    }
}
