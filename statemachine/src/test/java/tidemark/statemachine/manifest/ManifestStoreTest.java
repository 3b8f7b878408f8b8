package tidemark.statemachine.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tidemark.statemachine.env.Crc32c;
import tidemark.statemachine.env.FakeFileSystem;
import tidemark.statemachine.env.FakeFileSystem.Fault;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.manifest.ManifestStore.Stored;
import tidemark.statemachine.model.LogPosition;

class ManifestStoreTest {
    private static final String DIRECTORY = "manifests/group";

    private final FakeFileSystem files = new FakeFileSystem();
    private final ManifestStore store = new ManifestStore(files, DIRECTORY);

    private static byte[] payload(long index) {
        byte[] payload = new byte[100 + (int) index];
        Arrays.fill(payload, (byte) index);
        return payload;
    }

    private static LogPosition at(long index) {
        return new LogPosition(1 + index / 10, index);
    }

    private static void write(ManifestStore target, long index) throws StorageException {
        target.write(at(index), payload(index));
    }

    /** Index of the newest checkpoint, after checking that it is whole; -1 if there is none. */
    private static long newestIndex(ManifestStore target) throws StorageException {
        Optional<Stored> newest = target.newest();
        if (newest.isEmpty()) {
            return -1;
        }
        long index = newest.get().position().index();
        assertThat(newest.get().position()).isEqualTo(at(index));
        assertThat(newest.get().payload()).isEqualTo(payload(index));
        return index;
    }

    @Test
    void emptyStoreHasNone() throws Exception {
        assertThat(store.newest()).isEmpty();
        assertThat(files.changes()).as("looking changes nothing").isZero();
    }

    @Test
    void newestIsReadBackAndTwoAreKept() throws Exception {
        for (long index : new long[] {0, 9, 10, 99, 100, 123_456}) {
            write(store, index);
            assertThat(newestIndex(store)).isEqualTo(index);
            assertThat(newestIndex(new ManifestStore(files, DIRECTORY))).isEqualTo(index);
        }
        assertThat(files.list(DIRECTORY))
                .containsExactly(
                        "manifest-0000000000000000011-0000000000000000100",
                        "manifest-0000000000000012346-0000000000000123456");
        assertThat(files.openFiles()).isZero();
    }

    @Test
    void emptyPayloadAndFarthestPositionWork() throws Exception {
        LogPosition far = new LogPosition(Long.MAX_VALUE, Long.MAX_VALUE);
        store.write(far, new byte[0]);
        assertThat(store.newest().orElseThrow().position()).isEqualTo(far);
        assertThat(store.newest().orElseThrow().payload()).isEmpty();
    }

    @Test
    void samePositionIsReplaced() throws Exception {
        store.write(at(5), new byte[] {1});
        store.write(at(5), new byte[] {2});
        assertThat(store.newest().orElseThrow().payload()).containsExactly(2);
        assertThat(files.list(DIRECTORY)).hasSize(1);
    }

    @Test
    void goingBackIsRefusedAndChangesNothing() throws Exception {
        write(store, 5);
        assertThatThrownBy(() -> write(store, 4))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("goes back");
        assertThat(newestIndex(store)).isEqualTo(5);
        assertThat(files.list(DIRECTORY)).hasSize(1);
    }

    @Test
    void positionBeforeTheFirstEntryAndOversizedPayloadAreRefused() {
        assertThatThrownBy(() -> store.write(LogPosition.NONE, new byte[0]))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> store.write(at(1), new byte[ManifestStore.PAYLOAD_BYTES_MAX + 1]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("over the limit of 67108864");
        assertThat(files.changes()).isZero();
    }

    @Test
    void largestPayloadWorksAndOneByteMoreInTheFileIsCorrupt() throws Exception {
        FakeFileSystem large = new FakeFileSystem();
        byte[] file = ManifestStore.encode(at(1), new byte[ManifestStore.PAYLOAD_BYTES_MAX]);
        assertThat(file).hasSize(ManifestStore.FILE_BYTES_MAX);
        assertThat(ManifestStore.decode("x", file).payload()).hasSize(ManifestStore.PAYLOAD_BYTES_MAX);
        large.put("manifest-0000000000000000001-0000000000000000001", Arrays.copyOf(file, file.length + 5));
        assertThatThrownBy(() -> new ManifestStore(large, "").newest()).isInstanceOf(StorageException.Corrupt.class);
    }

    @Test
    void leftTemporaryFilesAreIgnoredAndThenDeleted() throws Exception {
        write(store, 1);
        files.put(DIRECTORY + "/manifest-0000000000000000001-0000000000000000009.tmp", new byte[] {1, 2, 3});
        files.put(DIRECTORY + "/other", new byte[] {1, 2, 3});
        assertThat(newestIndex(store)).isEqualTo(1);
        write(store, 2);
        assertThat(files.list(DIRECTORY))
                .containsExactly(
                        "manifest-0000000000000000001-0000000000000000001",
                        "manifest-0000000000000000001-0000000000000000002",
                        "other");
    }

    @Test
    void everyFlippedBitIsFoundAndTheOlderOneIsNotTaken() throws Exception {
        write(store, 1);
        write(store, 2);
        String newest = DIRECTORY + "/" + files.list(DIRECTORY).get(1);
        long size = files.size(newest);
        for (long position = 0; position < size; position++) {
            for (int bit = 0; bit < 8; bit++) {
                files.flipBit(newest, position, bit);
                assertThatThrownBy(store::newest)
                        .as("bit %d of byte %d", bit, position)
                        .isInstanceOf(StorageException.Corrupt.class)
                        .hasMessageContaining(newest);
                files.flipBit(newest, position, bit);
            }
        }
        assertThat(newestIndex(store)).isEqualTo(2);
    }

    @Test
    void everyCutAndEveryTailIsFound() throws Exception {
        byte[] file = ManifestStore.encode(at(3), payload(3));
        for (int length = 0; length < file.length; length++) {
            byte[] cut = Arrays.copyOf(file, length);
            assertThatThrownBy(() -> ManifestStore.decode("x", cut))
                    .as("cut to %d", length)
                    .isInstanceOf(StorageException.Corrupt.class);
        }
        assertThatThrownBy(() -> ManifestStore.decode("x", Arrays.copyOf(file, file.length + 1)))
                .isInstanceOf(StorageException.Corrupt.class);
    }

    @Test
    void fileUnderAnotherPositionsNameIsCorrupt() throws Exception {
        files.createDirectories(DIRECTORY);
        files.put(
                DIRECTORY + "/manifest-0000000000000000007-0000000000000000007",
                ManifestStore.encode(at(3), payload(3)));
        assertThatThrownBy(store::newest).isInstanceOf(StorageException.Corrupt.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, Integer.MAX_VALUE})
    void newerFormatIsTooNewNotCorrupt(int version) {
        assertThatThrownBy(() -> ManifestStore.decode("x", withVersion(version)))
                .isInstanceOf(StorageException.UnsupportedVersion.class)
                .hasMessage("too new: x has format version " + version + "; this version of Tidemark reads 1 to 1");
    }

    @Test
    void olderFormatIsTooOldNotCorrupt() {
        assertThatThrownBy(() -> ManifestStore.decode("x", withVersion(0)))
                .isInstanceOf(StorageException.UnsupportedVersion.class)
                .hasMessageStartingWith("too old: x");
    }

    /** A file of another version, of which only the prologue is as we know it. */
    private static byte[] withVersion(int version) {
        ByteBuffer file =
                ByteBuffer.wrap(ManifestStore.encode(at(1), payload(1))).order(ByteOrder.LITTLE_ENDIAN);
        file.putInt(ManifestCodec.VERSION_AT, version);
        file.putInt(ManifestCodec.PROLOGUE_CRC_AT, Crc32c.of(file.slice(0, ManifestCodec.PROLOGUE_CRC_AT)));
        return Arrays.copyOf(file.array(), ManifestCodec.PAYLOAD_LENGTH_AT + 3);
    }

    /**
     * Power is cut at each operation in turn; what survives of the unsynced is nothing, everything, or by chance. The newest checkpoint
     * whose write returned, or the one being written, is there and whole; the next write succeeds.
     */
    @Test
    void crashAtEveryOperationLeavesTheOldOrTheNewOne() throws Exception {
        for (int mode = 0; mode < 12; mode++) {
            long cut = 1;
            while (crashedAt(cut, mode)) {
                cut++;
            }
            assertThat(cut).as("there were operations to crash at").isGreaterThan(20);
        }
    }

    /** Whether there still was an operation to cut at. */
    private static boolean crashedAt(long cut, int mode) throws StorageException {
        FakeFileSystem files = new FakeFileSystem();
        ManifestStore store = new ManifestStore(files, DIRECTORY);
        files.cutPowerAt(cut);
        long returned = -1;
        try {
            for (long index = 0; index < 5; index++) {
                write(store, index);
                returned = index;
            }
        } catch (StorageException e) {
            assertThat(files.powerIsCut()).isTrue();
        }
        if (!files.powerIsCut()) {
            return false;
        }
        crash(files, mode, new SplittableRandom(cut * 100 + mode));
        ManifestStore reopened = new ManifestStore(files, DIRECTORY);
        long found = newestIndex(reopened);
        assertThat(found).as("cut at %d, mode %d", cut, mode).isBetween(returned, returned + 1);
        if (mode % 2 == 0) {
            files.crash();
            assertThat(newestIndex(reopened)).as("what was found once stays").isEqualTo(found);
        }
        write(reopened, found + 1);
        files.crash();
        assertThat(newestIndex(reopened)).isEqualTo(found + 1);
        return true;
    }

    private static void crash(FakeFileSystem files, int mode, RandomGenerator random) {
        switch (mode) {
            case 0 -> files.crash();
            case 1, 2 -> files.killProcess();
            default -> files.crash(random);
        }
    }

    @Test
    void failureAtEveryOperationIsThrownAndLeavesAWholeOne() throws Exception {
        for (Fault fault : new Fault[] {Fault.INPUT_OUTPUT_ERROR, Fault.NO_SPACE}) {
            for (long nth = 1; nth <= 5; nth++) {
                FakeFileSystem failing = new FakeFileSystem();
                ManifestStore store = new ManifestStore(failing, DIRECTORY);
                write(store, 1);
                failing.failAt(nth, fault);
                assertThatThrownBy(() -> write(store, 2)).isInstanceOf(StorageException.class);
                failing.crash();
                assertThat(newestIndex(store)).isBetween(1L, 2L);
                write(store, 3);
                assertThat(newestIndex(store)).isEqualTo(3);
                assertThat(failing.list(DIRECTORY)).hasSize(2);
            }
        }
    }
}
