package tidemark.server.storage;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tidemark.server.storage.Identity.Part;
import tidemark.statemachine.env.StorageException;

/**
 * The directories of one server, locked for this process and known to be its own. Open from start to end of the process.
 *
 * <pre>
 * DATA/LOCK       locked by the process that uses it
 * DATA/identity   whose it is
 * DATA/raft/      the journal            (or in a directory of its own, then with LOCK and identity)
 * DATA/streams/   segments               (the same)
 * DATA/manifests/ checkpoints            (beside the segments)
 * </pre>
 *
 * <p>A server that has lost its journal must not come back under its name: it may have voted, and acknowledged what it no longer has.
 * Hence an empty journal or store where the data directory says that there was one is refused. So is the reverse. The identity of
 * the data directory is written last, so a first start that is interrupted can be repeated.
 */
public final class DataDirectory implements Closeable {
    private static final String IDENTITY = "identity";
    private static final String TEMPORARY = "identity.tmp";
    private static final String JOURNAL = "raft";
    private static final List<String> STORE = List.of("streams", "manifests");

    private static final Set<PosixFilePermission> DIRECTORY_MODE = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> FILE_MODE = PosixFilePermissions.fromString("rw-------");

    private final Roots roots;
    private final UUID directoryId;
    private final List<DirectoryLock> locks;

    /**
     * Where the parts are. Directories may be the same.
     *
     * @param data holds what has no directory of its own
     */
    public record Roots(Path data, Path journal, Path store) {
        /** Each directory once, with what it holds; the data directory last. */
        Map<Path, Set<Part>> holding() {
            Map<Path, Set<Part>> holding = new LinkedHashMap<>();
            for (Path root : new Path[] {journal, store, data}) {
                if (!root.equals(data)) {
                    holding.computeIfAbsent(root, created -> EnumSet.noneOf(Part.class));
                }
            }
            holding.put(data, EnumSet.noneOf(Part.class));
            holding.computeIfPresent(journal, (root, parts) -> with(parts, Part.JOURNAL));
            holding.computeIfPresent(store, (root, parts) -> with(parts, Part.STORE));
            return holding;
        }

        private static Set<Part> with(Set<Part> parts, Part added) {
            parts.add(added);
            return parts;
        }
    }

    private DataDirectory(Roots roots, UUID directoryId, List<DirectoryLock> locks) {
        this.roots = roots;
        this.directoryId = directoryId;
        this.locks = locks;
    }

    /**
     * Locks the directories, creates them if they are missing, and checks that they belong to a server.
     *
     * @param randomId makes the id of new directories
     * @throws UnusableDirectoryException if they are in use, someone else's, incomplete, or cannot be written
     * @throws StorageException.Corrupt if an identity is damaged
     * @throws StorageException.UnsupportedVersion if a newer version of Tidemark wrote them
     */
    public static DataDirectory open(Roots roots, Owner owner, Supplier<UUID> randomId) throws IOException {
        List<DirectoryLock> locks = new ArrayList<>();
        try {
            for (Path root : roots.holding().keySet()) {
                createDurably(root);
                locks.add(DirectoryLock.take(root, ProcessHandle.current().pid()));
            }
            return new DataDirectory(roots, checkOrCreate(roots, owner, randomId), locks);
        } catch (IOException | RuntimeException e) {
            for (DirectoryLock lock : locks) {
                lock.close();
            }
            throw e;
        }
    }

    /** Where the journal of all groups goes. Exists. */
    public Path journal() {
        return roots.journal().resolve(JOURNAL);
    }

    /** Root of segments and checkpoints. */
    public Path store() {
        return roots.store();
    }

    /** Random, made with the directory. */
    public UUID directoryId() {
        return directoryId;
    }

    @Override
    public void close() throws IOException {
        for (DirectoryLock lock : locks) {
            lock.close();
        }
    }

    private static UUID checkOrCreate(Roots roots, Owner owner, Supplier<UUID> randomId) throws IOException {
        Optional<Identity> data = read(roots.data());
        if (data.isEmpty()) {
            return create(roots, owner, randomId.get());
        }
        for (Map.Entry<Path, Set<Part>> each : roots.holding().entrySet()) {
            Path root = each.getKey();
            Identity found = read(root)
                    .orElseThrow(() -> new UnusableDirectoryException("directory " + root + " is empty, but "
                            + roots.data()
                            + " belongs to a server that has data: is a disk not mounted, or the directory not the one that it"
                            + " had before?"));
            checkOwner(root, found, owner);
            checkParts(root, found, each.getValue());
            checkPresent(root, each.getValue());
            if (!found.directoryId().equals(data.get().directoryId())) {
                throw new UnusableDirectoryException("directories " + root + " and " + roots.data()
                        + " do not belong together: each is of another life of this server");
            }
        }
        return data.get().directoryId();
    }

    private static void checkOwner(Path root, Identity found, Owner owner) throws UnusableDirectoryException {
        Owner actual = found.owner();
        if (actual.clusterName().equals(owner.clusterName())
                && !actual.serverId().equals(owner.serverId())) {
            throw new UnusableDirectoryException(
                    "directory " + root + " belongs to another server, '" + actual.serverId()
                            + "' (this one is told to be '" + owner.serverId() + "'): check --id and --data");
        }
        if (!actual.clusterId().equals(owner.clusterId())) {
            String difference = actual.clusterName().equals(owner.clusterName())
                    ? "a cluster of this name but with other servers in its --cluster list"
                    : "another cluster, '" + actual.clusterName() + "' (this server is told to be in '"
                            + owner.clusterName() + "')";
            throw new UnusableDirectoryException("directory " + root + " belongs to " + difference
                    + ": give this server a directory of its own, or the configuration that it had before");
        }
    }

    private static void checkParts(Path root, Identity found, Set<Part> expected) throws UnusableDirectoryException {
        if (!found.holds().equals(expected)) {
            throw new UnusableDirectoryException("directory " + root + " holds " + shown(found.holds()) + ", not "
                    + shown(expected) + ": --journal and --store must be what they were when the server started first");
        }
    }

    private static String shown(Set<Part> parts) {
        return parts.isEmpty()
                ? "neither journal nor store"
                : "the " + Identity.words(parts).replace(",", " and the ");
    }

    private static UUID create(Roots roots, Owner owner, UUID directoryId) throws IOException {
        for (Path root : roots.holding().keySet()) {
            checkUnused(root, owner);
        }
        for (Map.Entry<Path, Set<Part>> each : roots.holding().entrySet()) {
            for (String part : partDirectories(each.getValue())) {
                createDurably(each.getKey().resolve(part));
            }
            write(each.getKey(), new Identity(owner, directoryId, each.getValue()));
        }
        return directoryId;
    }

    private static List<String> partDirectories(Set<Part> parts) {
        List<String> directories = new ArrayList<>(parts.contains(Part.STORE) ? STORE : List.of());
        if (parts.contains(Part.JOURNAL)) {
            directories.add(JOURNAL);
        }
        return directories;
    }

    private static void checkPresent(Path root, Set<Part> parts) throws UnusableDirectoryException {
        for (String part : partDirectories(parts)) {
            if (!Files.isDirectory(root.resolve(part))) {
                throw new UnusableDirectoryException("directory " + root + " has lost " + part
                        + "/: restore it; if it is gone for good, this server must not come back under its name with less than it"
                        + " promised to keep");
            }
        }
    }

    private static void checkUnused(Path root, Owner owner) throws IOException {
        Optional<Identity> left = read(root);
        if (left.isPresent()) {
            checkOwner(root, left.get(), owner);
        }
        for (String part : partDirectories(EnumSet.allOf(Part.class))) {
            if (hasContent(root.resolve(part))) {
                throw new UnusableDirectoryException("directory " + root + " has data in " + part + "/, but "
                        + (left.isPresent() ? "the data directory has" : "it has") + " no file '" + IDENTITY
                        + "': restore that file, or take an empty directory");
            }
        }
    }

    private static boolean hasContent(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return false;
        }
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            return entries.iterator().hasNext();
        } catch (IOException e) {
            throw new UnusableDirectoryException("cannot read " + directory + ": " + Reasons.of(e), e);
        }
    }

    private static Optional<Identity> read(Path root) throws IOException {
        Path file = root.resolve(IDENTITY);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            if (Files.size(file) > Identity.BYTES_MAX) {
                throw new StorageException.Corrupt(
                        file.toString(), Identity.BYTES_MAX, "the end of the file", Files.size(file) + " bytes");
            }
            return Optional.of(Identity.decode(file.toString(), Files.readAllBytes(file)));
        } catch (StorageException e) {
            throw e;
        } catch (IOException e) {
            throw new UnusableDirectoryException("cannot read " + file + ": " + Reasons.of(e), e);
        }
    }

    private static void write(Path root, Identity identity) throws IOException {
        Path temporary = root.resolve(TEMPORARY);
        Path file = root.resolve(IDENTITY);
        try {
            Files.deleteIfExists(temporary);
            try (FileChannel channel = FileChannel.open(
                    temporary,
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(FILE_MODE))) {
                ByteBuffer bytes = ByteBuffer.wrap(identity.encode());
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                channel.force(true);
            }
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
            sync(root);
        } catch (IOException e) {
            throw new UnusableDirectoryException("cannot write " + file + ": " + Reasons.of(e), e);
        }
    }

    /** Creates a directory and its missing parents, readable by their owner alone; existing ones stay as they are. */
    private static void createDurably(Path directory) throws IOException {
        Deque<Path> missing = new ArrayDeque<>();
        for (@Nullable Path path = directory; path != null && !Files.exists(path); path = path.getParent()) {
            missing.push(path);
        }
        FileAttribute<Set<PosixFilePermission>> mode = PosixFilePermissions.asFileAttribute(DIRECTORY_MODE);
        try {
            for (Path path : missing) {
                Files.createDirectory(path, mode);
                @Nullable Path parent = path.getParent();
                if (parent != null) {
                    sync(parent);
                }
            }
        } catch (IOException e) {
            throw new UnusableDirectoryException("cannot create directory " + directory + ": " + Reasons.of(e), e);
        }
        if (!Files.isDirectory(directory)) {
            throw new UnusableDirectoryException(directory + " is a file, not a directory");
        }
    }

    private static void sync(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
