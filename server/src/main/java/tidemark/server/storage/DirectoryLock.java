package tidemark.server.storage;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The file {@code LOCK} of a directory, locked by this process: the operating system gives the lock up when the process ends, however
 * that happens. The file says the number of the process, for messages only, and stays.
 */
final class DirectoryLock implements Closeable {
    private static final String NAME = "LOCK";
    private static final int PID_BYTES_MAX = 20;

    private final FileChannel channel;

    private DirectoryLock(FileChannel channel) {
        this.channel = channel;
    }

    /** @throws UnusableDirectoryException if another process has it, or it cannot be written */
    static DirectoryLock take(Path directory, long pid) throws IOException {
        Path file = directory.resolve(NAME);
        FileChannel channel;
        try {
            channel = FileChannel.open(
                    file,
                    Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        } catch (IOException e) {
            throw new UnusableDirectoryException("cannot write " + file + ": " + Reasons.of(e), e);
        }
        try {
            if (!tryLock(channel)) {
                throw new UnusableDirectoryException("directory " + directory + " is in use by another server"
                        + holder(file) + ": stop that one, or give this one another directory");
            }
            channel.truncate(0);
            channel.write(ByteBuffer.wrap((pid + "\n").getBytes(US_ASCII)), 0);
            return new DirectoryLock(channel);
        } catch (IOException e) {
            channel.close();
            throw e instanceof UnusableDirectoryException
                    ? e
                    : new UnusableDirectoryException("cannot lock " + file + ": " + Reasons.of(e), e);
        }
    }

    private static boolean tryLock(FileChannel channel) throws IOException {
        try {
            // Held until the channel is closed.
            @Nullable FileLock lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException byThisProcess) {
            return false;
        }
    }

    private static String holder(Path file) throws IOException {
        byte[] content = Files.size(file) > PID_BYTES_MAX ? new byte[0] : Files.readAllBytes(file);
        String pid = new String(content, US_ASCII).strip();
        return pid.matches("\\d+") ? " (process " + pid + ")" : "";
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
