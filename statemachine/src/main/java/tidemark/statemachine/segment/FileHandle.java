package tidemark.statemachine.segment;

import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.env.StorageFile;

/** The use of an open file, shared with others. Close it soon: what is used cannot be evicted. */
public final class FileHandle implements AutoCloseable {
    private final FileHandles owner;
    private final StorageFile file;

    /** Guarded by the owner. */
    private int users;
    /** Nobody will find this handle any more: the last user closes it. Guarded by the owner. */
    private boolean forgotten;

    FileHandle(FileHandles owner, StorageFile file) {
        this.owner = owner;
        this.file = file;
    }

    public StorageFile file() {
        return file;
    }

    /** Ends this use; nothing may be done with the file afterwards. */
    @Override
    public void close() throws StorageException {
        synchronized (owner) {
            users--;
            closeIfUnused();
        }
    }

    /** One more use, to be closed by itself. The caller has one. */
    FileHandle again() {
        synchronized (owner) {
            return use();
        }
    }

    /** With the owner's lock held. */
    FileHandle use() {
        users++;
        return this;
    }

    /** With the owner's lock held. */
    boolean isUsed() {
        return users > 0;
    }

    /** With the owner's lock held. */
    void forget() throws StorageException {
        forgotten = true;
        closeIfUnused();
    }

    private void closeIfUnused() throws StorageException {
        if (forgotten && users == 0) {
            file.close();
        }
    }
}
