package tidemark.server.grpc;

import java.util.Optional;
import tidemark.server.raft.HostedGroup;
import tidemark.statemachine.env.StorageFile;
import tidemark.statemachine.machine.StreamView;
import tidemark.statemachine.model.StreamId;

/** The streams of the machines of hosted groups. */
final class MachineStreams implements StoredStreams, StoredCheckpoints {
    @Override
    public Optional<StreamView> view(HostedGroup group, StreamId stream) {
        throw new UnsupportedOperationException("engine");
    }

    @Override
    public Batches batches(HostedGroup group, StreamId stream) {
        throw new UnsupportedOperationException("engine");
    }

    @Override
    public Optional<byte[]> manifest(HostedGroup group) {
        throw new UnsupportedOperationException("engine");
    }

    @Override
    public Optional<StorageFile> segment(HostedGroup group, StreamId stream, long baseOffset) {
        throw new UnsupportedOperationException("engine");
    }
}
