package tidemark.server.raft;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** What Ratis does not do for the directories of the journal: make their entries durable. */
final class Directories {
    private Directories() {}

    /** Makes the names in a directory durable. */
    static void sync(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** Creates a directory and its parents, durably. */
    static void create(Path directory) throws IOException {
        Path absolute = directory.toAbsolutePath();
        if (Files.isDirectory(absolute)) {
            return;
        }
        Path parent = absolute.getParent();
        if (parent != null) {
            create(parent);
        }
        Files.createDirectory(absolute);
        if (parent != null) {
            sync(parent);
        }
    }

    /** Makes the names of a tree of directories durable, its root's own included. */
    static void syncTree(Path root) throws IOException {
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException problem)
                    throws IOException {
                if (problem != null) {
                    throw problem;
                }
                sync(directory);
                return FileVisitResult.CONTINUE;
            }
        });
        Path parent = root.toAbsolutePath().getParent();
        if (parent != null) {
            sync(parent);
        }
    }

    static void deleteTree(Path root) throws IOException {
        if (!Files.exists(root)) {
            return;
        }
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException problem)
                    throws IOException {
                if (problem != null) {
                    throw problem;
                }
                Files.delete(directory);
                return FileVisitResult.CONTINUE;
            }
        });
        Path parent = root.toAbsolutePath().getParent();
        if (parent != null) {
            sync(parent);
        }
    }
}
