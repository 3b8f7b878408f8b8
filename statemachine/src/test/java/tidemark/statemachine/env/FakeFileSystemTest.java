package tidemark.statemachine.env;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import tidemark.statemachine.env.FakeFileSystem.Fault;
import tidemark.statemachine.env.FakeFileSystem.Operation;

class FakeFileSystemTest extends FileSystemContract {
    private final FakeFileSystem fake = new FakeFileSystem();

    @Override
    FileSystem newFileSystem() {
        return fake;
    }

    private StorageFile durable(String path, String text) throws StorageException {
        StorageFile file = fake.create(path);
        file.write(bytes(text), 0);
        file.sync();
        fake.syncDirectory("dir");
        return file;
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(UTF_8));
    }

    private String text(String path) throws StorageException {
        return new String(fake.contents(path), UTF_8);
    }

    @Test
    void crashDropsUnsyncedBytesAndLengths() throws Exception {
        StorageFile file = durable("dir/a", "hello");
        file.write(bytes("J"), 0);
        file.write(bytes(" world"), 5);
        fake.crash();
        assertThat(text("dir/a")).isEqualTo("hello");
    }

    @Test
    void crashUndoesUnsyncedTruncation() throws Exception {
        durable("dir/a", "hello").truncate(1);
        fake.crash();
        assertThat(text("dir/a")).isEqualTo("hello");
    }

    @Test
    void crashDropsFilesWhoseNameIsNotSynced() throws Exception {
        StorageFile file = fake.create("dir/a");
        file.write(bytes("hello"), 0);
        file.sync();
        fake.crash();
        assertThat(fake.exists("dir/a")).isFalse();
    }

    @Test
    void nameMayOutliveContents() throws Exception {
        fake.create("dir/a").write(bytes("hello"), 0);
        fake.syncDirectory("dir");
        fake.crash();
        assertThat(text("dir/a")).isEmpty();
    }

    @Test
    void crashUndoesUnsyncedRenamesAndDeletions() throws Exception {
        durable("dir/a", "new").close();
        durable("dir/b", "old").close();
        durable("dir/c", "deleted").close();
        fake.rename("dir/a", "dir/b");
        fake.delete("dir/c");
        fake.crash();
        assertThat(fake.list("dir")).containsExactly("a", "b", "c");
        assertThat(text("dir/b")).isEqualTo("old");
    }

    @Test
    void syncedDirectoryKeepsRenamesAndDeletions() throws Exception {
        durable("dir/a", "new").close();
        durable("dir/b", "old").close();
        fake.rename("dir/a", "dir/b");
        fake.syncDirectory("dir");
        fake.crash();
        assertThat(fake.list("dir")).containsExactly("b");
        assertThat(text("dir/b")).isEqualTo("new");
    }

    @Test
    void createdDirectoriesSurvive() throws Exception {
        fake.createDirectories("x/y");
        fake.crash();
        assertThat(fake.exists("x/y")).isTrue();
    }

    @Test
    void unsyncedDeletionOfADirectoryComesBackWhole() throws Exception {
        durable("dir/a", "hello").close();
        fake.deleteRecursively("dir");
        fake.crash();
        assertThat(text("dir/a")).isEqualTo("hello");
    }

    @Test
    void killedProcessLosesOnlyItsOpenFiles() throws Exception {
        StorageFile file = fake.create("dir/a");
        file.write(bytes("hello"), 0);
        assertThat(fake.openFiles()).isEqualTo(1);
        fake.killProcess();
        assertThat(text("dir/a")).isEqualTo("hello");
        assertThat(fake.openFiles()).isZero();
        assertThatThrownBy(file::sync).isInstanceOf(StorageException.class).hasMessageContaining("before a crash");
        fake.crash();
        assertThat(fake.exists("dir/a"))
                .as("death of a process makes nothing durable")
                .isFalse();
    }

    @Test
    void randomCrashGivesEveryMixOfUnsyncedWritesButKeepsSyncedOnes() throws Exception {
        Set<String> found = new HashSet<>();
        for (int seed = 0; seed < 300; seed++) {
            FakeFileSystem files = new FakeFileSystem();
            files.put("a", "....".getBytes(UTF_8));
            StorageFile file = files.openForWrite("a");
            file.write(bytes("12"), 0);
            file.write(bytes("34"), 2);
            files.crash(new SplittableRandom(seed));
            String text = new String(files.contents("a"), UTF_8);
            assertThat(text).matches("(12|1\\.|\\.\\.)(34|3\\.|\\.\\.)");
            found.add(text);
        }
        assertThat(found).hasSize(9);
    }

    @Test
    void randomCrashNeverTearsARename() throws Exception {
        Set<String> found = new HashSet<>();
        for (int seed = 0; seed < 50; seed++) {
            FakeFileSystem files = new FakeFileSystem();
            files.put("old", "old".getBytes(UTF_8));
            files.put("new", "new".getBytes(UTF_8));
            files.rename("new", "old");
            files.crash(new SplittableRandom(seed));
            found.add(files.list("") + new String(files.contents("old"), UTF_8));
        }
        assertThat(found).containsExactlyInAnyOrder("[old]new", "[new, old]old");
    }

    @Test
    void chosenOperationFailsOnce() throws Exception {
        fake.failAt(2, Fault.NO_SPACE);
        StorageFile file = fake.create("dir/a");
        assertThatThrownBy(() -> file.write(bytes("hello"), 0))
                .isInstanceOf(StorageException.class)
                .hasMessage("cannot WRITE dir/a: No space left on device");
        assertThat(text("dir/a")).as("a failed write leaves a part").isEqualTo("he");
        file.write(bytes("hello"), 0);
        assertThat(text("dir/a")).isEqualTo("hello");
    }

    @Test
    void readsFailWhereInjected() throws Exception {
        StorageFile file = durable("dir/a", "hello");
        fake.inject((operation, path, number) -> operation == Operation.READ && path.equals("dir/a")
                ? Optional.of(Fault.INPUT_OUTPUT_ERROR)
                : Optional.empty());
        assertThatThrownBy(() -> file.read(ByteBuffer.allocate(1), 0))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("Input/output error");
    }

    @Test
    void bytesOfAFailedSyncAreSeenButNeverBecomeDurable() throws Exception {
        StorageFile file = durable("dir/a", "hello");
        file.write(bytes("J"), 0);
        fake.failAt(1, Fault.INPUT_OUTPUT_ERROR);
        assertThatThrownBy(file::sync).isInstanceOf(StorageException.class);
        assertThatThrownBy(file::sync).hasMessageContaining("earlier sync failed");
        assertThatThrownBy(() -> file.write(bytes("x"), 0)).hasMessageContaining("earlier sync failed");
        assertThat(text("dir/a")).isEqualTo("Jello");
        try (StorageFile again = fake.openForWrite("dir/a")) {
            again.sync();
        }
        fake.crash();
        assertThat(text("dir/a")).isEqualTo("hello");
    }

    @Test
    void nothingWorksBetweenPowerCutAndCrash() throws Exception {
        StorageFile file = durable("dir/a", "hello");
        file.write(bytes("J"), 0);
        fake.cutPowerAt(1);
        assertThatThrownBy(file::sync).hasMessageContaining("power is cut");
        assertThat(fake.powerIsCut()).isTrue();
        assertThatThrownBy(() -> fake.list("dir")).hasMessageContaining("power is cut");
        assertThatThrownBy(() -> fake.delete("dir/a")).hasMessageContaining("power is cut");
        fake.crash();
        assertThat(fake.powerIsCut()).isFalse();
        assertThat(text("dir/a")).isEqualTo("hello");
    }

    @Test
    void flippedBitIsOnTheDisk() throws Exception {
        durable("dir/a", "a");
        fake.flipBit("dir/a", 0, 1);
        assertThat(text("dir/a")).isEqualTo("c");
        fake.crash();
        assertThat(text("dir/a")).isEqualTo("c");
    }

    @Test
    void syncsAreCounted() throws Exception {
        long syncs = fake.syncs();
        long directorySyncs = fake.directorySyncs();
        durable("dir/a", "a");
        assertThat(fake.syncs() - syncs).isEqualTo(1);
        assertThat(fake.directorySyncs() - directorySyncs).isEqualTo(1);
    }
}
