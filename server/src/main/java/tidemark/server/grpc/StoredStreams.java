package tidemark.server.grpc;

import java.util.Optional;
import tidemark.server.raft.HostedGroup;
import tidemark.server.raft.ProposalException;
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
    interface Batches extends AutoCloseable {
        /**
         * The batch that has an offset.
         *
         * @throws NotReadableException if the offset is not (or no more) within the readable range
         * @throws ProposalException of kind CLOSED if the replica is closed or being replaced
         */
        StoredBatch at(long offset) throws StorageException, ProposalException;

        /** Gives up what is held in memory; it is read again when it is asked for. */
        void release();

        @Override
        void close();
    }

    /** An offset lies outside of the readable range: it was truncated meanwhile. */
    final class NotReadableException extends StorageException {
        private static final long serialVersionUID = 1L;

        NotReadableException(long offset) {
            super("offset " + offset + " is not within the readable range");
        }
    }
}
