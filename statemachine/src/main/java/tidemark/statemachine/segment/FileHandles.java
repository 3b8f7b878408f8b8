package tidemark.statemachine.segment;

import java.io.Closeable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tidemark.statemachine.env.FileSystem;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.env.StorageFile;

/**
 * Open files, kept for the next use up to a number; then those that were not used for longest are closed. A file in use stays open,
 * beyond the number if need be: that many are used at once only by files that wait to be synced (bounded for each group) and by readers
 * (one each).
 *
 * <p>A file that is written to and not yet synced must be held by its writer: the system may report a failed write only to those who
 * have had the file open since.
 *
 * <p>Safe for many threads; one lock, held while files are opened and closed.
 */
final class FileHandles implements Closeable {
    /** Reading and writing are apart, so that readers cannot harm a file. */
    private enum Mode {
        READ,
        WRITE
    }

    private record Key(String path, Mode mode) {}

    private interface Opener {
        StorageFile open(String path) throws StorageException;
    }

    private final FileSystem files;
    private final int idleMax;
    /** From the one not used for longest to the latest. */
    private final Map<Key, FileHandle> open = new LinkedHashMap<>(16, 0.75f, true);

    FileHandles(FileSystem files, int idleMax) {
        this.files = files;
        this.idleMax = idleMax;
    }

    FileHandle read(String path) throws StorageException {
        return use(new Key(path, Mode.READ), files::openForRead);
    }

    FileHandle write(String path) throws StorageException {
        return use(new Key(path, Mode.WRITE), files::openForWrite);
    }

    /** Creates the file, or empties it; what is open of an earlier file of that name is not given out any more. */
    synchronized FileHandle create(String path) throws StorageException {
        forget(path);
        return use(new Key(path, Mode.WRITE), files::create);
    }

    private synchronized FileHandle use(Key key, Opener opener) throws StorageException {
        FileHandle handle = open.get(key);
        if (handle == null) {
            handle = new FileHandle(this, opener.open(key.path()));
            open.put(key, handle);
        }
        FileHandle used = handle.use();
        closeIdle();
        return used;
    }

    private void closeIdle() throws StorageException {
        if (open.size() <= idleMax) {
            return;
        }
        Iterator<FileHandle> oldest = open.values().iterator();
        while (open.size() > idleMax && oldest.hasNext()) {
            FileHandle handle = oldest.next();
            if (!handle.isUsed()) {
                oldest.remove();
                handle.forget();
            }
        }
    }

    /** Files that are open now. */
    synchronized int size() {
        return open.size();
    }

    /** The next use opens the file anew; users of now may go on. For a file that was deleted or replaced. */
    synchronized void forget(String path) throws StorageException {
        forget(open.remove(new Key(path, Mode.READ)));
        forget(open.remove(new Key(path, Mode.WRITE)));
    }

    private static void forget(@Nullable FileHandle handle) throws StorageException {
        if (handle != null) {
            handle.forget();
        }
    }

    /** As {@link #forget}, of all files below a directory. */
    synchronized void forgetBelow(String directory) throws StorageException {
        forgetAll(key -> key.path().startsWith(directory + "/"));
    }

    @Override
    public synchronized void close() throws StorageException {
        forgetAll(key -> true);
    }

    private void forgetAll(Predicate<Key> which) throws StorageException {
        List<Key> keys = new ArrayList<>(open.keySet());
        for (Key key : keys) {
            if (which.test(key)) {
                forget(open.remove(key));
            }
        }
    }
}
