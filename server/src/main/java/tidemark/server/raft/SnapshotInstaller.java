package tidemark.server.raft;

import java.io.IOException;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.model.LogPosition;
import tidemark.statemachine.model.StreamId;

/**
 * Brings one machine's files to the checkpoint of another replica. One for each kind of machine.
 *
 * <p>Two steps: {@link #prepare} fetches beside the running machine, {@link Prepared#commit} switches while the machine is closed.
 */
public interface SnapshotInstaller {
    /**
     * Fetches what the manifest names and this server lacks into a place aside, verifies it and makes it durable. The machine is open
     * and works. Takes as long as it takes; may be called again after a failure, then with what was fetched still there or not.
     *
     * @param manifest another replica's manifest, as bytes of the file
     * @param source where the files come from
     * @throws StorageException if this server's disk or the fetched bytes are bad
     * @throws IOException if the other replica cannot be reached or no longer has a file: get a newer manifest
     */
    Prepared prepare(byte[] manifest, Source source) throws IOException;

    /** A checkpoint that is ready to be switched to. Exactly one of the two methods is called, once. */
    interface Prepared {
        /** Where the machine stands after the commit. */
        LogPosition position();

        /** Makes the fetched checkpoint the newest durable one. The machine is closed, and is opened again afterwards. */
        void commit() throws StorageException;

        /** Gives the fetched files up. */
        void discard() throws StorageException;
    }

    /** One replica of the group, to fetch from. */
    interface Source {
        /** As {@link PeerSnapshots#segment}. Blocks. */
        void segment(StreamId stream, long baseOffset, long from, long to, PeerSnapshots.ChunkSink sink)
                throws IOException;
    }
}
