package tidemark.statemachine.env;

import java.nio.ByteBuffer;
import java.nio.channels.NonWritableChannelException;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A file system in memory with POSIX's idea of durability, for tests of what a crash or a failing disk leaves behind.
 *
 * <p>Files and directories are inodes, each with volatile contents (what a running process sees) and durable contents (what a crash
 * leaves). A file's bytes and length become durable by its own sync, its name by the sync of its directory, each without the other. A
 * file that was renamed or deleted stays usable through what is open.
 *
 * <p>Faults: {@link #inject} decides before every operation; {@link #failAt} and {@link #cutPowerAt} are the usual cases. A write that
 * fails leaves half of its bytes. A sync that fails loses the unsynced bytes from what can still become durable, while they can still
 * be read: so Linux does it.
 *
 * <p>Safe for use by many threads; everything is one lock.
 */
public final class FakeFileSystem implements FileSystem {
    /** What can be done to the disk. */
    public enum Operation {
        OPEN,
        READ,
        SIZE,
        LIST,
        CREATE,
        WRITE,
        TRUNCATE,
        SYNC,
        MAKE_DIRECTORY,
        RENAME,
        DELETE,
        SYNC_DIRECTORY;

        /** Whether it can change what is on disk, now or in a crash. */
        public boolean changes() {
            return compareTo(CREATE) >= 0;
        }
    }

    /** What an operation can meet. */
    public enum Fault {
        INPUT_OUTPUT_ERROR("Input/output error"),
        NO_SPACE("No space left on device"),
        /** This operation and all later ones fail, until {@link #crash}. */
        POWER_CUT("power is cut");

        private final String message;

        Fault(String message) {
            this.message = message;
        }
    }

    /** Decides the fate of each operation. Called under the lock of the file system. */
    @FunctionalInterface
    public interface Injector {
        /**
         * The fault that an operation meets, if any.
         *
         * @param number counts the operations that change something, from 1, since the file system was made; others have the number of
         *     the last one that did
         */
        Optional<Fault> before(Operation operation, String path, long number);
    }

    private FakeNode.Directory root = new FakeNode.Directory();
    private Injector injector = (operation, path, number) -> Optional.empty();
    private boolean powerCut;
    private int generation;
    private long changes;
    private long syncs;
    private long directorySyncs;
    private int openFiles;

    // ---- faults
    // -----------------------------------------------------------------------------------------------------------------

    /** Replaces what decides about faults, {@link #failAt} and {@link #cutPowerAt} included. */
    public synchronized void inject(Injector replacement) {
        injector = replacement;
    }

    /** No more faults. A power cut that took place stays until {@link #crash}. */
    public synchronized void injectNothing() {
        injector = (operation, path, number) -> Optional.empty();
    }

    /** Fails the n-th changing operation from now (1 is the next), once. */
    public synchronized void failAt(long nth, Fault fault) {
        long victim = changes + nth;
        injector = (operation, path, number) ->
                operation.changes() && number == victim ? Optional.of(fault) : Optional.empty();
    }

    /** Cuts the power before the n-th changing operation from now takes effect (1 is the next). */
    public synchronized void cutPowerAt(long nth) {
        failAt(nth, Fault.POWER_CUT);
    }

    /** Whether an injected {@link Fault#POWER_CUT} took place and {@link #crash} has not been called since. */
    public synchronized boolean powerIsCut() {
        return powerCut;
    }

    /** Loses everything that is not durable; open files become useless. Ends a power cut, and the injected faults. */
    public synchronized void crash() {
        crash(FakeNode.Survival.NONE);
    }

    /**
     * The process dies, the machine does not: files are seen as they were, and nothing has become durable by it. Open files become
     * useless.
     */
    public synchronized void killProcess() {
        startAgain();
    }

    /**
     * As {@link #crash()}, but a part of what is not durable survives, chosen by chance: of each file any of the unsynced writes, each
     * maybe torn, in any order of time; of each directory the first few changes.
     */
    public synchronized void crash(RandomGenerator random) {
        crash(FakeNode.Survival.some(random));
    }

    private void crash(FakeNode.Survival survival) {
        root.crash(survival);
        startAgain();
    }

    private void startAgain() {
        powerCut = false;
        injectNothing();
        generation++;
        openFiles = 0;
    }

    /** Flips a bit (0 to 7) of a byte on the disk: it is read so now, and after a crash. */
    public synchronized void flipBit(String path, long position, int bit) throws StorageException {
        find(path, FakeNode.Regular.class).flipBit(position, bit);
    }

    // ---- what a test may ask
    // ----------------------------------------------------------------------------------------------------

    /** Changing operations so far, failed ones included. */
    public synchronized long changes() {
        return changes;
    }

    /** Successful syncs of files so far. */
    public synchronized long syncs() {
        return syncs;
    }

    /** Successful syncs of directories so far. */
    public synchronized long directorySyncs() {
        return directorySyncs;
    }

    /** Files that are open now: what leaks shows here. */
    public synchronized int openFiles() {
        return openFiles;
    }

    /** The bytes of a file, as a running process sees them. */
    public synchronized byte[] contents(String path) throws StorageException {
        return find(path, FakeNode.Regular.class).contents();
    }

    /** Makes a file with these bytes, both durable, and without faults; its directory must exist. */
    public synchronized void put(String path, byte[] bytes) throws StorageException {
        FakeNode.Regular file = new FakeNode.Regular();
        file.write(0, bytes);
        file.sync();
        FakeNode.Directory parent = parent(path);
        parent.put(name(path), file);
        parent.sync();
    }

    // ---- FileSystem
    // -------------------------------------------------------------------------------------------------------------

    @Override
    public synchronized StorageFile openForRead(String path) throws StorageException {
        step(Operation.OPEN, path);
        return new OpenFile(path, find(path, FakeNode.Regular.class), false);
    }

    @Override
    public synchronized StorageFile openForWrite(String path) throws StorageException {
        step(Operation.OPEN, path);
        return new OpenFile(path, find(path, FakeNode.Regular.class), true);
    }

    @Override
    public synchronized StorageFile create(String path) throws StorageException {
        step(Operation.CREATE, path);
        FakeNode.Directory parent = parent(path);
        FakeNode existing = parent.get(name(path));
        if (existing instanceof FakeNode.Directory) {
            throw new StorageException("cannot open " + path + ": it is a directory");
        }
        if (existing instanceof FakeNode.Regular file) {
            file.truncate(0);
            return new OpenFile(path, file, true);
        }
        FakeNode.Regular file = new FakeNode.Regular();
        parent.put(name(path), file);
        return new OpenFile(path, file, true);
    }

    @Override
    public synchronized boolean exists(String path) {
        return lookUp(StoragePath.partsOrRoot(path)) != null;
    }

    @Override
    public synchronized long size(String path) throws StorageException {
        step(Operation.SIZE, path);
        return find(path, FakeNode.Regular.class).size();
    }

    @Override
    public synchronized List<String> list(String directory) throws StorageException {
        step(Operation.LIST, directory);
        if (lookUp(StoragePath.partsOrRoot(directory)) == null) {
            return List.of();
        }
        return find(directory, FakeNode.Directory.class).names();
    }

    @Override
    public synchronized void createDirectories(String directory) throws StorageException {
        FakeNode.Directory parent = root;
        String path = "";
        for (String part : StoragePath.partsOrRoot(directory)) {
            String parentPath = path;
            path = path.isEmpty() ? part : path + "/" + part;
            FakeNode child = parent.get(part);
            if (child == null) {
                step(Operation.MAKE_DIRECTORY, path);
                child = new FakeNode.Directory();
                parent.put(part, child);
            }
            if (!(child instanceof FakeNode.Directory)) {
                throw new StorageException("cannot create directory " + path + ": it is a file");
            }
            syncDirectory(parentPath);
            parent = (FakeNode.Directory) child;
        }
    }

    @Override
    public synchronized void rename(String from, String to) throws StorageException {
        step(Operation.RENAME, from);
        FakeNode moved = find(from, FakeNode.class);
        FakeNode.Directory target = parent(to);
        FakeNode replaced = target.get(name(to));
        boolean fits = replaced == null
                || (moved instanceof FakeNode.Regular && replaced instanceof FakeNode.Regular)
                || (moved instanceof FakeNode.Directory
                        && replaced instanceof FakeNode.Directory directory
                        && directory.names().isEmpty());
        if (!fits || ((to + "/").startsWith(from + "/") && !to.equals(from))) {
            throw new StorageException("cannot rename to " + to + " the file " + from + ": the new name is in the way");
        }
        FakeNode.move(moved, parent(from), name(from), target, name(to));
    }

    @Override
    public synchronized void delete(String path) throws StorageException {
        step(Operation.DELETE, path);
        FakeNode node = lookUp(StoragePath.parts(path));
        if (node instanceof FakeNode.Directory) {
            throw new StorageException("cannot delete as a file " + path + ": it is a directory");
        }
        if (node != null) {
            parent(path).remove(name(path));
        }
    }

    @Override
    public synchronized void deleteRecursively(String directory) throws StorageException {
        FakeNode node = lookUp(StoragePath.parts(directory));
        if (node instanceof FakeNode.Regular) {
            throw new StorageException("cannot delete as a directory " + directory + ": it is a file");
        }
        if (node != null) {
            deleteTree(directory, node);
        }
    }

    private void deleteTree(String path, FakeNode node) throws StorageException {
        if (node instanceof FakeNode.Directory directory) {
            for (String name : directory.names()) {
                deleteTree(path + "/" + name, find(path + "/" + name, FakeNode.class));
            }
        }
        step(Operation.DELETE, path);
        parent(path).remove(name(path));
    }

    @Override
    public synchronized void syncDirectory(String directory) throws StorageException {
        FakeNode.Directory node = find(directory, FakeNode.Directory.class);
        step(Operation.SYNC_DIRECTORY, directory);
        node.sync();
        directorySyncs++;
    }

    // ---- helpers
    // ----------------------------------------------------------------------------------------------------------------

    /** Counts an operation, and lets it fail if it is to. */
    private void step(Operation operation, String path) throws StorageException {
        Optional<Fault> fault = fate(operation, path);
        if (fault.isPresent()) {
            throw failure(operation, path, fault.get());
        }
    }

    private Optional<Fault> fate(Operation operation, String path) {
        if (powerCut) {
            return Optional.of(Fault.POWER_CUT);
        }
        if (operation.changes()) {
            changes++;
        }
        Optional<Fault> fault = injector.before(operation, path, changes);
        powerCut = fault.filter(Fault.POWER_CUT::equals).isPresent();
        return fault;
    }

    private static StorageException failure(Operation operation, String path, Fault fault) {
        return new StorageException("cannot " + operation + " " + path + ": " + fault.message);
    }

    private @Nullable FakeNode lookUp(List<String> parts) {
        FakeNode node = root;
        for (String part : parts) {
            if (!(node instanceof FakeNode.Directory directory)) {
                return null;
            }
            node = directory.get(part);
        }
        return node;
    }

    private <T extends FakeNode> T find(String path, Class<T> kind) throws StorageException {
        FakeNode node = lookUp(StoragePath.partsOrRoot(path));
        if (node == null) {
            throw new StorageException.NotFound(path);
        }
        if (!kind.isInstance(node)) {
            throw new StorageException(path + " is not a " + (kind == FakeNode.Regular.class ? "file" : "directory"));
        }
        return kind.cast(node);
    }

    private FakeNode.Directory parent(String path) throws StorageException {
        List<String> parts = StoragePath.parts(path);
        return find(String.join("/", parts.subList(0, parts.size() - 1)), FakeNode.Directory.class);
    }

    private static String name(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    private final class OpenFile implements StorageFile {
        private final String path;
        private final FakeNode.Regular file;
        private final boolean writable;
        private final int openedIn = generation;
        private boolean closed;
        private boolean syncFailed;

        OpenFile(String path, FakeNode.Regular file, boolean writable) {
            this.path = path;
            this.file = file;
            this.writable = writable;
            openFiles++;
        }

        @Override
        public int read(ByteBuffer target, long position) throws StorageException {
            synchronized (FakeFileSystem.this) {
                checkOpen();
                checkNotNegative(position);
                step(Operation.READ, path);
                return file.read(target, position);
            }
        }

        @Override
        public void write(ByteBuffer source, long position) throws StorageException {
            synchronized (FakeFileSystem.this) {
                checkWritable();
                checkNotNegative(position);
                Optional<Fault> fault = fate(Operation.WRITE, path);
                byte[] bytes = new byte[fault.isPresent() ? source.remaining() / 2 : source.remaining()];
                source.get(bytes);
                file.write(position, bytes);
                if (fault.isPresent()) {
                    throw failure(Operation.WRITE, path, fault.get());
                }
            }
        }

        @Override
        public void truncate(long size) throws StorageException {
            synchronized (FakeFileSystem.this) {
                checkWritable();
                checkNotNegative(size);
                step(Operation.TRUNCATE, path);
                file.truncate(size);
            }
        }

        @Override
        public void sync() throws StorageException {
            synchronized (FakeFileSystem.this) {
                checkOpen();
                refuseAfterFailedSync();
                Optional<Fault> fault = fate(Operation.SYNC, path);
                if (fault.isPresent()) {
                    syncFailed = true;
                    if (!powerCut) {
                        file.failSync();
                    }
                    throw failure(Operation.SYNC, path, fault.get());
                }
                file.sync();
                syncs++;
            }
        }

        @Override
        public long size() throws StorageException {
            synchronized (FakeFileSystem.this) {
                checkOpen();
                step(Operation.SIZE, path);
                return file.size();
            }
        }

        @Override
        public void close() {
            synchronized (FakeFileSystem.this) {
                if (!closed && openedIn == generation) {
                    openFiles--;
                }
                closed = true;
            }
        }

        private void checkWritable() throws StorageException {
            checkOpen();
            refuseAfterFailedSync();
            if (!writable) {
                throw new NonWritableChannelException();
            }
        }

        private void checkNotNegative(long position) {
            if (position < 0) {
                throw new IllegalArgumentException("negative position in " + path + ": " + position);
            }
        }

        private void refuseAfterFailedSync() throws StorageException {
            if (syncFailed) {
                throw new StorageException(
                        "cannot change " + path + ": an earlier sync failed, so its contents are unknown");
            }
        }

        private void checkOpen() throws StorageException {
            if (closed) {
                throw new StorageException("cannot use " + path + ": it is closed");
            }
            if (openedIn != generation) {
                throw new StorageException("cannot use " + path + ": it was opened before a crash");
            }
        }
    }
}
