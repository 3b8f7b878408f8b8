package tidemark.statemachine.env;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The files below a directory of this machine. Every error names the whole path.
 *
 * <p>A path cannot leave the root by its form ({@code ..}, an absolute path: {@link IllegalArgumentException}). Symbolic links are the
 * owner's business and are followed, except that deleting recursively removes the link itself.
 *
 * <p>Safe for use by many threads, and interrupts do no harm to files that other threads use (see {@link RealFile}).
 */
public final class RealFileSystem implements FileSystem {
    private static final Set<OpenOption> READ = Set.of(StandardOpenOption.READ);
    private static final Set<OpenOption> READ_WRITE = Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);
    private static final Set<OpenOption> CREATE = Set.of(
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING);

    private final Path root;

    /** Touches nothing; {@code createDirectories("")} creates the root if it is missing. */
    public RealFileSystem(Path root) {
        this.root = root.toAbsolutePath().normalize();
    }

    @Override
    public StorageFile openForRead(String path) throws StorageException {
        return open(path, READ);
    }

    @Override
    public StorageFile openForWrite(String path) throws StorageException {
        return open(path, READ_WRITE);
    }

    @Override
    public StorageFile create(String path) throws StorageException {
        return open(path, CREATE);
    }

    private StorageFile open(String path, Set<OpenOption> options) throws StorageException {
        Path file = file(path);
        // Opening a directory for reading would succeed, and only reading it fail.
        if (Files.isDirectory(file)) {
            throw new StorageException("cannot open " + file + ": it is a directory");
        }
        return RealFile.open(file, options);
    }

    @Override
    public boolean exists(String path) {
        return Files.exists(fileOrRoot(path));
    }

    @Override
    public long size(String path) throws StorageException {
        Path file = file(path);
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            if (attributes.isDirectory()) {
                throw new StorageException("cannot take the size of " + file + ": it is a directory");
            }
            return attributes.size();
        } catch (IOException e) {
            throw failed("take the size of", file, e);
        }
    }

    @Override
    public List<String> list(String directory) throws StorageException {
        Path listed = fileOrRoot(directory);
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(listed)) {
            for (Path entry : entries) {
                names.add(String.valueOf(entry.getFileName()));
            }
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (NotDirectoryException e) {
            throw new StorageException("cannot list " + listed + ": it is not a directory", e);
        } catch (DirectoryIteratorException e) {
            throw failed("list", listed, Objects.requireNonNull(e.getCause()));
        } catch (IOException e) {
            throw failed("list", listed, e);
        }
        Collections.sort(names);
        return names;
    }

    @Override
    public void createDirectories(String directory) throws StorageException {
        createRoot();
        Path parent = root;
        for (String part : StoragePath.partsOrRoot(directory)) {
            Path child = parent.resolve(part);
            createDirectory(child);
            // Also if it was there: a crash may have come between its creation and this.
            sync(parent);
            parent = child;
        }
    }

    private void createRoot() throws StorageException {
        Deque<Path> missing = new ArrayDeque<>();
        for (@Nullable Path path = root; path != null && !Files.exists(path); path = path.getParent()) {
            missing.push(path);
        }
        for (Path path : missing) {
            createDirectory(path);
            Path parent = path.getParent();
            if (parent != null) {
                sync(parent);
            }
        }
    }

    private static void createDirectory(Path directory) throws StorageException {
        try {
            if (!Files.isDirectory(directory)) {
                // Of two threads that get here one finds it there, which is as good.
                Files.createDirectories(directory);
            }
        } catch (IOException e) {
            throw failed("create directory", directory, e);
        }
    }

    @Override
    public void rename(String from, String to) throws StorageException {
        Path source = file(from);
        Path target = file(to);
        try {
            Files.move(source, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw failed("rename to " + target + " the file", source, e);
        }
    }

    @Override
    public void delete(String path) throws StorageException {
        Path file = file(path);
        if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new StorageException("cannot delete as a file " + file + ": it is a directory");
        }
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw failed("delete", file, e);
        }
    }

    @Override
    public void deleteRecursively(String directory) throws StorageException {
        Path deleted = file(directory);
        if (!Files.exists(deleted, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        if (!Files.isDirectory(deleted, LinkOption.NOFOLLOW_LINKS)) {
            throw new StorageException("cannot delete as a directory " + deleted + ": it is a file");
        }
        try {
            Files.walkFileTree(deleted, new Deleter());
        } catch (IOException e) {
            throw failed("delete directory", deleted, e);
        }
    }

    @Override
    public void syncDirectory(String directory) throws StorageException {
        sync(fileOrRoot(directory));
    }

    private static void sync(Path directory) throws StorageException {
        if (!Files.isDirectory(directory)) {
            throw Files.exists(directory)
                    ? new StorageException("cannot sync " + directory + ": it is not a directory")
                    : new StorageException.NotFound(directory.toString());
        }
        // A channel of its own, used by this thread alone: an interrupt would close it under nobody else. But the sync
        // itself must
        // be carried out, so the interrupt waits.
        boolean interrupted = Thread.interrupted();
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException e) {
            throw failed("sync directory", directory, e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private Path file(String path) {
        return root.resolve(String.join("/", StoragePath.parts(path)));
    }

    private Path fileOrRoot(String path) {
        return root.resolve(String.join("/", StoragePath.partsOrRoot(path)));
    }

    /** Makes of any I/O error one that says what was tried and where. */
    static StorageException failed(String tried, Path path, IOException cause) {
        if (cause instanceof StorageException already) {
            return already;
        }
        if (cause instanceof NoSuchFileException) {
            return new StorageException.NotFound(path.toString());
        }
        String reason = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        return new StorageException("cannot " + tried + " " + path + ": " + reason, cause);
    }

    private static final class Deleter extends SimpleFileVisitor<Path> {
        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure) throws IOException {
            if (failure != null) {
                throw failure;
            }
            Files.deleteIfExists(directory);
            return FileVisitResult.CONTINUE;
        }
    }
}
