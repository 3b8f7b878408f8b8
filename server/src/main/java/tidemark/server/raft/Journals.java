package tidemark.server.raft;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tidemark.statemachine.model.GroupId;

/**
 * The directories of the groups' Raft logs, one each, named by the group's id, and their deletion.
 *
 * <p>A group is deleted in three steps, so that a crash leaves nothing half: its journal gets another name, which Ratis does not look at;
 * then the machine's data goes; then the journal. A start finishes what a crash interrupted.
 */
final class Journals {
    private static final Logger LOG = LoggerFactory.getLogger(Journals.class);
    private static final String REMOVED = ".removed";

    private final Path root;
    private final MachineFactory factory;

    Journals(Path root, MachineFactory factory) {
        this.root = root;
        this.factory = factory;
    }

    /** Creates the directory if need be, and finishes deletions. */
    void open() throws IOException {
        Directories.create(root);
        try (DirectoryStream<Path> found = Files.newDirectoryStream(root, "*" + REMOVED)) {
            for (Path directory : found) {
                String name = directory.getFileName().toString();
                GroupId id = idOf(name.substring(0, name.length() - REMOVED.length()));
                LOG.info("finishing the removal of group {}", id);
                finish(id, directory);
            }
        }
    }

    private GroupId idOf(String name) throws IOException {
        try {
            return new GroupId(UUID.fromString(name));
        } catch (IllegalArgumentException e) {
            throw new IOException("unknown directory in " + root + ": " + name + REMOVED, e);
        }
    }

    /** Deletes all of a group, which runs no more. */
    void delete(GroupId id) throws IOException {
        Path directory = root.resolve(id.toString());
        Path removed = root.resolve(id + REMOVED);
        if (Files.exists(directory)) {
            Files.move(directory, removed, StandardCopyOption.ATOMIC_MOVE);
            Directories.sync(root);
        }
        finish(id, removed);
    }

    private void finish(GroupId id, Path removed) throws IOException {
        factory.delete(id);
        Directories.deleteTree(removed);
    }
}
