package tidemark.statemachine.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RealFileSystemTest extends FileSystemContract {
    @TempDir
    Path directory = Path.of("set by JUnit");

    @Override
    FileSystem newFileSystem() throws StorageException {
        FileSystem files = new RealFileSystem(directory.resolve("deep/root"));
        files.createDirectories("");
        return files;
    }

    @Test
    void filesLieBelowTheRoot() throws Exception {
        FileSystem files = new RealFileSystem(directory);
        files.createDirectories("a");
        files.create("a/b").close();
        assertThat(directory.resolve("a/b")).isRegularFile();
    }

    @Test
    void deletingRecursivelyDoesNotFollowLinks() throws Exception {
        FileSystem files = new RealFileSystem(directory);
        files.createDirectories("outside");
        files.create("outside/kept").close();
        files.createDirectories("deleted");
        Files.createSymbolicLink(directory.resolve("deleted/link"), directory.resolve("outside"));
        files.deleteRecursively("deleted");
        assertThat(files.exists("deleted")).isFalse();
        assertThat(files.exists("outside/kept")).isTrue();
    }

    @Test
    void fullDiskIsReportedWithThePath() throws Exception {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.isWritable(full));
        // Regular files cannot be made to fail without root; the device fails each write like a full disk.
        try (StorageFile file = new RealFileSystem(Path.of("/dev")).openForWrite("full")) {
            assertThatThrownBy(() -> file.write(ByteBuffer.allocate(1), 0))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("/dev/full")
                    .hasMessageContaining("No space left");
        }
    }
}
