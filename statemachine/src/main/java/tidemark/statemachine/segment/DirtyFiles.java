package tidemark.statemachine.segment;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tidemark.statemachine.env.StorageException;

/**
 * The files of one group that were written to and not yet synced, each held open until it is.
 *
 * <p>Threads: one writes, one at a time syncs beside it. The lock is held while writing, and not while syncing: a file is clean only if
 * nothing was written to it since before its sync began.
 */
final class DirtyFiles {
    private static final class Dirty {
        private final FileHandle handle;
        private long writes;

        Dirty(FileHandle handle) {
            this.handle = handle;
        }
    }

    /** A dirty file as it was when its sync began. */
    private record Seen(String path, Dirty dirty, long writes) {}

    private final SegmentFiles files;
    private final Map<String, Dirty> dirty = new LinkedHashMap<>();
    private final Set<String> directories = new LinkedHashSet<>();

    DirtyFiles(SegmentFiles files) {
        this.files = files;
    }

    /** Creates a file, empty. Its directory is dirty from now on. */
    synchronized void create(String directory, String path) throws StorageException {
        drop(path);
        dirty.put(path, new Dirty(files.handles().create(path)));
        directories.add(directory);
    }

    synchronized void write(String path, ByteBuffer bytes, long position) throws StorageException {
        Dirty file = dirty.get(path);
        if (file == null) {
            file = new Dirty(files.handles().write(path));
            dirty.put(path, file);
        }
        file.writes++;
        file.handle.file().write(bytes, position);
    }

    /** The file no longer matters: it need not become durable. */
    synchronized void drop(String path) throws StorageException {
        Dirty file = dirty.remove(path);
        if (file != null) {
            file.handle.close();
        }
    }

    synchronized int size() {
        return dirty.size();
    }

    /** Makes durable all that was written and created before the call. After a failure nothing is known of the files. */
    void sync() throws StorageException {
        for (Seen file : seen()) {
            sync(file);
        }
        for (String directory : takeDirectories()) {
            files.fileSystem().syncDirectory(directory);
        }
    }

    private synchronized List<Seen> seen() {
        List<Seen> seen = new ArrayList<>(dirty.size());
        dirty.forEach((path, file) -> seen.add(new Seen(path, file, file.writes)));
        return seen;
    }

    private synchronized List<String> takeDirectories() {
        List<String> taken = List.copyOf(directories);
        directories.clear();
        return taken;
    }

    private void sync(Seen seen) throws StorageException {
        // A use of its own: the file may be dropped, and then closed, meanwhile.
        FileHandle handle;
        synchronized (this) {
            if (dirty.get(seen.path()) != seen.dirty()) {
                return;
            }
            handle = seen.dirty().handle.again();
        }
        try (handle) {
            handle.file().sync();
        }
        synchronized (this) {
            if (dirty.get(seen.path()) == seen.dirty() && seen.dirty().writes == seen.writes()) {
                dirty.remove(seen.path());
                seen.dirty().handle.close();
            }
        }
    }

    /** Lets go of all files as they are. */
    synchronized void close() throws StorageException {
        for (String path : List.copyOf(dirty.keySet())) {
            drop(path);
        }
        directories.clear();
    }
}
