package tidemark.statemachine.env;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.channels.NonWritableChannelException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every {@link FileSystem} promises. */
abstract class FileSystemContract {
    private FileSystem files = new FakeFileSystem();

    /** An empty file system whose root exists. */
    abstract FileSystem newFileSystem() throws Exception;

    @BeforeEach
    void open() throws Exception {
        files = newFileSystem();
        files.createDirectories("dir");
    }

    private void put(String path, String text) throws StorageException {
        try (StorageFile file = files.create(path)) {
            file.write(ByteBuffer.wrap(text.getBytes(UTF_8)), 0);
            file.sync();
        }
    }

    private String get(String path) throws StorageException {
        try (StorageFile file = files.openForRead(path)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
            assertThat(file.read(bytes, 0)).isEqualTo(bytes.capacity());
            return new String(bytes.array(), UTF_8);
        }
    }

    @Test
    void writtenBytesAreRead() throws Exception {
        put("dir/a", "hello");
        assertThat(get("dir/a")).isEqualTo("hello");
        assertThat(files.size("dir/a")).isEqualTo(5);
        assertThat(files.exists("dir/a")).isTrue();
        assertThat(files.exists("dir")).isTrue();
    }

    @Test
    void filesAtTheRootWork() throws Exception {
        put("a", "x");
        files.syncDirectory("");
        assertThat(files.list("")).containsExactly("a", "dir");
        assertThat(files.exists("")).isTrue();
    }

    @Test
    void readEndsAtTheEndOfTheFile() throws Exception {
        put("dir/a", "hello");
        try (StorageFile file = files.openForRead("dir/a")) {
            ByteBuffer target = ByteBuffer.allocate(10);
            assertThat(file.read(target, 3)).isEqualTo(2);
            assertThat(target.position()).isEqualTo(2);
            assertThat(file.read(target, 5)).isZero();
            assertThat(file.read(target, 500)).isZero();
            assertThat(file.read(ByteBuffer.allocate(0), 0)).isZero();
        }
    }

    @Test
    void readFillsOnlyWhatRemains() throws Exception {
        put("dir/a", "hello");
        try (StorageFile file = files.openForRead("dir/a")) {
            ByteBuffer target = ByteBuffer.allocate(10);
            target.position(4).limit(6);
            assertThat(file.read(target, 1)).isEqualTo(2);
            assertThat(target.get(4)).isEqualTo((byte) 'e');
            assertThat(target.get(5)).isEqualTo((byte) 'l');
            assertThat(target.array()[6]).isZero();
        }
    }

    @Test
    void writeTakesOnlyWhatRemainsAndUsesItUp() throws Exception {
        try (StorageFile file = files.create("dir/a")) {
            ByteBuffer source = ByteBuffer.wrap("-hello-".getBytes(UTF_8));
            source.position(1).limit(6);
            file.write(source.asReadOnlyBuffer(), 0);
            file.write(source, 5);
            assertThat(source.hasRemaining()).isFalse();
        }
        assertThat(get("dir/a")).isEqualTo("hellohello");
    }

    @Test
    void writeInTheMiddleOverwrites() throws Exception {
        put("dir/a", "hello");
        try (StorageFile file = files.openForWrite("dir/a")) {
            file.write(ByteBuffer.wrap("EL".getBytes(UTF_8)), 1);
        }
        assertThat(get("dir/a")).isEqualTo("hELlo");
    }

    @Test
    void gapIsFilledWithZerosAlsoWhereBytesWereCut() throws Exception {
        put("dir/a", "hello");
        try (StorageFile file = files.openForWrite("dir/a")) {
            file.truncate(2);
            file.write(ByteBuffer.wrap("x".getBytes(UTF_8)), 5);
            file.write(ByteBuffer.allocate(0), 100);
        }
        assertThat(get("dir/a")).isEqualTo("he\0\0\0x");
    }

    @Test
    void truncateNeverGrows() throws Exception {
        put("dir/a", "hello");
        try (StorageFile file = files.openForWrite("dir/a")) {
            file.truncate(100);
            assertThat(file.size()).isEqualTo(5);
            file.truncate(0);
            assertThat(file.size()).isZero();
        }
    }

    @Test
    void createEmptiesWhatIsThere() throws Exception {
        put("dir/a", "hello");
        put("dir/a", "x");
        assertThat(get("dir/a")).isEqualTo("x");
    }

    @Test
    void negativePositionsAreRefused() throws Exception {
        try (StorageFile file = files.create("dir/a")) {
            assertThatThrownBy(() -> file.read(ByteBuffer.allocate(1), -1))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> file.write(ByteBuffer.allocate(1), -1))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> file.truncate(-1)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void fileOpenForReadingCannotBeWritten() throws Exception {
        put("dir/a", "hello");
        try (StorageFile file = files.openForRead("dir/a")) {
            assertThatThrownBy(() -> file.write(ByteBuffer.allocate(1), 0))
                    .isInstanceOf(NonWritableChannelException.class);
            assertThatThrownBy(() -> file.truncate(0)).isInstanceOf(NonWritableChannelException.class);
        }
        assertThat(get("dir/a")).isEqualTo("hello");
    }

    @Test
    void closedFileIsUnusableAndClosesAgainQuietly() throws Exception {
        StorageFile file = files.create("dir/a");
        file.close();
        file.close();
        assertThatThrownBy(() -> file.write(ByteBuffer.allocate(1), 0))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("dir/a");
        assertThatThrownBy(() -> file.read(ByteBuffer.allocate(1), 0)).isInstanceOf(StorageException.class);
        assertThatThrownBy(file::size).isInstanceOf(StorageException.class);
    }

    @Test
    void missingThingsAreNotFoundAndNamed() throws Exception {
        assertNotFound("dir/none", () -> files.openForRead("dir/none"));
        assertNotFound("dir/none", () -> files.openForWrite("dir/none"));
        assertNotFound("dir/none", () -> files.size("dir/none"));
        assertNotFound("dir/none", () -> files.rename("dir/none", "dir/other"));
        assertNotFound("nodir", () -> files.create("nodir/a"));
        assertNotFound("nodir", () -> files.syncDirectory("nodir"));
        assertThat(files.exists("dir/none")).isFalse();
        assertThat(files.exists("nodir/none")).isFalse();
        assertThat(files.list("nodir")).isEmpty();
        files.delete("dir/none");
        files.deleteRecursively("nodir");
    }

    private static void assertNotFound(String path, ThrowingCallable action) {
        assertThatThrownBy(action).isInstanceOf(StorageException.NotFound.class).hasMessageContaining(path);
    }

    @Test
    void filesAndDirectoriesAreNotConfused() throws Exception {
        put("dir/a", "hello");
        assertThatThrownBy(() -> files.openForRead("dir")).isInstanceOf(StorageException.class);
        assertThatThrownBy(() -> files.openForWrite("dir")).isInstanceOf(StorageException.class);
        assertThatThrownBy(() -> files.create("dir")).isInstanceOf(StorageException.class);
        assertThatThrownBy(() -> files.size("dir")).isInstanceOf(StorageException.class);
        assertThatThrownBy(() -> files.delete("dir")).isInstanceOf(StorageException.class);
        assertThatThrownBy(() -> files.list("dir/a")).isInstanceOf(StorageException.class);
        assertThatThrownBy(() -> files.createDirectories("dir/a")).isInstanceOf(StorageException.class);
        assertThatThrownBy(() -> files.createDirectories("dir/a/b")).isInstanceOf(StorageException.class);
        assertThatThrownBy(() -> files.deleteRecursively("dir/a")).isInstanceOf(StorageException.class);
        assertThatThrownBy(() -> files.syncDirectory("dir/a")).isInstanceOf(StorageException.class);
        assertThat(get("dir/a")).isEqualTo("hello");
    }

    @Test
    void listIsSortedAndNotDeep() throws Exception {
        files.createDirectories("dir/sub");
        put("dir/b", "");
        put("dir/a", "");
        put("dir/sub/c", "");
        assertThat(files.list("dir")).containsExactly("a", "b", "sub");
        assertThat(files.list("dir/sub")).containsExactly("c");
    }

    @Test
    void directoriesAreCreatedWithTheirParentsAndAgain() throws Exception {
        files.createDirectories("x/y/z");
        put("x/y/z/a", "kept");
        files.createDirectories("x/y/z");
        assertThat(get("x/y/z/a")).isEqualTo("kept");
    }

    @Test
    void renameReplacesAndOpenFilesFollow() throws Exception {
        put("dir/a", "new");
        put("dir/b", "old");
        try (StorageFile openA = files.openForRead("dir/a");
                StorageFile openB = files.openForRead("dir/b")) {
            files.rename("dir/a", "dir/b");
            ByteBuffer target = ByteBuffer.allocate(3);
            openA.read(target, 0);
            assertThat(new String(target.array(), UTF_8)).isEqualTo("new");
            target.clear();
            openB.read(target, 0);
            assertThat(new String(target.array(), UTF_8)).isEqualTo("old");
        }
        assertThat(files.exists("dir/a")).isFalse();
        assertThat(get("dir/b")).isEqualTo("new");
        files.rename("dir/b", "dir/b");
        assertThat(get("dir/b")).isEqualTo("new");
    }

    @Test
    void directoriesAreRenamedWithTheirContents() throws Exception {
        files.createDirectories("from/sub");
        put("from/sub/a", "hello");
        files.createDirectories("to");
        files.rename("from", "to");
        assertThat(get("to/sub/a")).isEqualTo("hello");
        assertThat(files.exists("from")).isFalse();
        files.createDirectories("full/sub");
        assertThatThrownBy(() -> files.rename("to", "full")).isInstanceOf(StorageException.class);
        assertThatThrownBy(() -> files.rename("to", "to/sub/to")).isInstanceOf(StorageException.class);
        put("dir/a", "");
        assertThatThrownBy(() -> files.rename("dir/a", "full")).isInstanceOf(StorageException.class);
        assertThat(get("to/sub/a")).isEqualTo("hello");
    }

    @Test
    void deletedFileStaysReadableWhereItIsOpen() throws Exception {
        put("dir/a", "hello");
        try (StorageFile file = files.openForRead("dir/a")) {
            files.delete("dir/a");
            assertThat(files.exists("dir/a")).isFalse();
            assertThat(file.read(ByteBuffer.allocate(5), 0)).isEqualTo(5);
        }
    }

    @Test
    void directoryIsDeletedWithAllThatIsInIt() throws Exception {
        files.createDirectories("dir/sub/deep");
        put("dir/sub/deep/a", "x");
        put("dir/b", "x");
        files.deleteRecursively("dir/sub");
        assertThat(files.list("dir")).containsExactly("b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"../x", "/etc/passwd", "dir/../../x", "dir//a", "dir/", ".", "dir/./a", "dir/..", "a\0b"})
    void pathsThatLeaveTheRootAreRefused(String path) {
        assertThatThrownBy(() -> files.create(path)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> files.openForRead(path)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> files.openForWrite(path)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> files.exists(path)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> files.size(path)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> files.list(path)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> files.createDirectories(path)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> files.rename("dir", path)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> files.rename(path, "x")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> files.delete(path)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> files.deleteRecursively(path)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> files.syncDirectory(path)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void rootItselfIsNeitherFileNorDeletable() {
        assertThatThrownBy(() -> files.deleteRecursively("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> files.create("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> files.rename("", "x")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void interruptedThreadReadsWritesAndSyncsAllTheSame() throws Exception {
        try (StorageFile file = files.create("dir/a")) {
            Thread.currentThread().interrupt();
            file.write(ByteBuffer.wrap("hello".getBytes(UTF_8)), 0);
            file.sync();
            files.syncDirectory("dir");
            assertThat(file.read(ByteBuffer.allocate(5), 0)).isEqualTo(5);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        } finally {
            Thread.interrupted();
        }
        assertThat(get("dir/a")).isEqualTo("hello");
    }
}
