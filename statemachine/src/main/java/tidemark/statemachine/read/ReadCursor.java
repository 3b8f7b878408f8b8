package tidemark.statemachine.read;

import tidemark.statemachine.env.StorageException;

/**
 * A reader of one stream, with a place in it. One thread at a time; any number of cursors beside each other and beside the applier.
 * Holds no file open between calls, so it need not be closed.
 */
public final class ReadCursor {
    /** The offset that the next batch returned will hold, or follow on. */
    public long nextOffset() {
        throw new UnsupportedOperationException();
    }

    /** Moves to an offset. Touches nothing yet. */
    public void seek(long offset) {
        throw new UnsupportedOperationException();
    }

    /**
     * Reads on from {@link #nextOffset}, up to the newest committed end. Blocks on the disk.
     *
     * @param maxBytes of bodies; at least one batch is returned if there is one, and fewer bytes may be
     * @throws StorageException.Corrupt if a checksum does not fit; reading again reads again
     */
    public ReadResult next(int maxBytes) throws StorageException {
        throw new UnsupportedOperationException();
    }
}
