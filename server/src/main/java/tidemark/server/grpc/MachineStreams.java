package tidemark.server.grpc;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tidemark.server.raft.HostedGroup;
import tidemark.server.raft.ProposalException;
import tidemark.statemachine.catalog.CatalogMachine;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.env.StorageFile;
import tidemark.statemachine.format.StoredBatch;
import tidemark.statemachine.machine.GroupMachine;
import tidemark.statemachine.machine.Machine;
import tidemark.statemachine.machine.StreamView;
import tidemark.statemachine.model.StreamId;
import tidemark.statemachine.read.ReadCursor;
import tidemark.statemachine.read.ReadResult;

/** The streams and checkpoints of the machines of hosted groups. The catalog's machine has checkpoints, but no streams. */
final class MachineStreams implements StoredStreams, StoredCheckpoints {
    /** Bytes of bodies that a reader takes from disk at once. */
    private static final int READ_BYTES = 256 << 10;

    @Override
    public Optional<StreamView> view(HostedGroup group, StreamId stream) {
        return machine(group).flatMap(machine -> machine.stream(stream));
    }

    @Override
    public Batches batches(HostedGroup group, StreamId stream) {
        return new CursorBatches(group, stream);
    }

    @Override
    public Optional<byte[]> manifest(HostedGroup group) throws StorageException {
        Machine machine = group.machine();
        if (machine instanceof CatalogMachine catalog) {
            return catalog.newestManifest();
        }
        return machine instanceof GroupMachine streams ? streams.newestManifest() : Optional.empty();
    }

    @Override
    public Optional<StorageFile> segment(HostedGroup group, StreamId stream, long baseOffset) throws StorageException {
        Optional<GroupMachine> machine = machine(group);
        return machine.isEmpty() ? Optional.empty() : machine.get().openSegment(stream, baseOffset);
    }

    private static Optional<GroupMachine> machine(HostedGroup group) {
        return group.machine() instanceof GroupMachine machine ? Optional.of(machine) : Optional.empty();
    }

    /** A cursor, and the batches that it read and nobody asked for yet. */
    private static final class CursorBatches implements Batches {
        private final HostedGroup group;
        private final StreamId stream;
        private final ArrayDeque<StoredBatch> read = new ArrayDeque<>();
        private @Nullable ReadCursor cursor;

        CursorBatches(HostedGroup group, StreamId stream) {
            this.group = group;
            this.stream = stream;
        }

        @Override
        public StoredBatch at(long offset) throws StorageException, ProposalException {
            while (!read.isEmpty() && read.element().endOffset() <= offset) {
                read.remove();
            }
            if (read.isEmpty() || offset < read.element().baseOffset()) {
                read.clear();
                read.addAll(fetch(offset));
            }
            return read.remove();
        }

        private List<StoredBatch> fetch(long offset) throws StorageException, ProposalException {
            ReadResult result = cursorAt(offset).next(READ_BYTES);
            if (result.kind() == ReadResult.Kind.UNAVAILABLE) {
                // The group has taken over a snapshot: it has a new machine, if it is not closed.
                cursor = null;
                result = cursorAt(offset).next(READ_BYTES);
            }
            return switch (result.kind()) {
                case BATCHES -> ((ReadResult.Batches) result).batches();
                case AT_END, TRUNCATED -> throw new NotReadableException(offset);
                case UNAVAILABLE -> throw unavailable();
            };
        }

        private ReadCursor cursorAt(long offset) throws ProposalException {
            ReadCursor placed = cursor;
            if (placed == null) {
                placed = machine(group).orElseThrow(this::unavailable).cursor(stream, offset);
                cursor = placed;
            } else if (placed.nextOffset() != offset) {
                placed.seek(offset);
            }
            return placed;
        }

        private ProposalException unavailable() {
            return new ProposalException(
                    ProposalException.Kind.CLOSED,
                    "the replica is being replaced",
                    group.leadership().leaderId());
        }

        @Override
        public void release() {
            read.clear();
            cursor = null;
        }

        @Override
        public void close() {
            release();
        }
    }
}
