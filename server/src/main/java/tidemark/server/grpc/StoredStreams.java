package tidemark.server.grpc;

import java.io.Closeable;
import java.util.Optional;
import tidemark.server.raft.HostedGroup;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.format.StoredBatch;
import tidemark.statemachine.machine.StreamView;
import tidemark.statemachine.model.StreamId;

/** What the services read of the streams stored on this server. Safe for use by many threads. */
interface StoredStreams {
    /** A stream's readable state now; empty if the group's machine does not host it (yet, or any more). */
    Optional<StreamView> view(HostedGroup group, StreamId stream);

    /** A reader of a stream. */
    Batches batches(HostedGroup group, StreamId stream);

    /** Reads a stream's batches; one thread at a time. Blocks on the disk. */
    interface Batches extends Closeable {
        /** The batch that has an offset within the readable range. */
        StoredBatch at(long offset) throws StorageException;

        @Override
        void close();
    }
}
