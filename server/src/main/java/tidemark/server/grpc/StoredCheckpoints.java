package tidemark.server.grpc;

import java.util.Optional;
import tidemark.server.raft.HostedGroup;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.env.StorageFile;
import tidemark.statemachine.model.StreamId;

/** The files that another server fetches when it is too far behind. Safe for use by many threads; all methods block on the disk. */
interface StoredCheckpoints {
    /** The bytes of a group's newest durable manifest; empty if it has none. */
    Optional<byte[]> manifest(HostedGroup group) throws StorageException;

    /** A segment, open for reading: the caller closes it. Empty if there is none (any more). */
    Optional<StorageFile> segment(HostedGroup group, StreamId stream, long baseOffset) throws StorageException;
}
