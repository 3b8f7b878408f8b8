package tidemark.server.grpc;

import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import tidemark.server.raft.HostedGroup;
import tidemark.server.raft.ProposalException;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.env.StorageFile;
import tidemark.statemachine.format.StoredBatch;
import tidemark.statemachine.machine.StreamView;
import tidemark.statemachine.model.StreamId;

/** What one server has stored: in the machines of its groups where they have some, else in their models. */
final class FakeStored implements StoredStreams, StoredCheckpoints {
    private final MachineStreams machines = new MachineStreams();
    /** Batches read, over all readers. */
    final AtomicInteger reads = new AtomicInteger();
    /** How often readers gave up their memory. */
    final AtomicInteger released = new AtomicInteger();
    /** Readers that are open. */
    final AtomicInteger open = new AtomicInteger();
    /** Base offsets of segments whose bytes can be fetched. */
    final ConcurrentHashMap<Long, byte[]> segments = new ConcurrentHashMap<>();

    volatile boolean damaged;

    @Override
    public Optional<StreamView> view(HostedGroup group, StreamId stream) {
        FakeLog.Replica replica = (FakeLog.Replica) group;
        return replica.hasMachine()
                ? machines.view(group, stream)
                : replica.log().stream(stream).map(view -> view);
    }

    @Override
    public Batches batches(HostedGroup group, StreamId stream) {
        open.incrementAndGet();
        FakeLog.Replica replica = (FakeLog.Replica) group;
        Optional<Batches> real = replica.hasMachine() ? Optional.of(machines.batches(group, stream)) : Optional.empty();
        return new Batches() {
            @Override
            public StoredBatch at(long offset) throws StorageException, ProposalException {
                reads.incrementAndGet();
                if (damaged) {
                    throw new StorageException.Corrupt("0.seg", 17, "abc", "abd");
                }
                if (real.isPresent()) {
                    return real.get().at(offset);
                }
                return replica.log().stream(stream)
                        .flatMap(state -> state.at(offset))
                        .orElseThrow(() -> new NotReadableException(offset));
            }

            @Override
            public void release() {
                released.incrementAndGet();
                real.ifPresent(Batches::release);
            }

            @Override
            public void close() {
                open.decrementAndGet();
                real.ifPresent(Batches::close);
            }
        };
    }

    @Override
    public Optional<byte[]> manifest(HostedGroup group) throws StorageException {
        if (((FakeLog.Replica) group).hasMachine()) {
            return machines.manifest(group);
        }
        return Optional.of(("manifest of " + group.id()).getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    @Override
    public Optional<StorageFile> segment(HostedGroup group, StreamId stream, long baseOffset) throws StorageException {
        if (((FakeLog.Replica) group).hasMachine()) {
            return machines.segment(group, stream, baseOffset);
        }
        return Optional.ofNullable(segments.get(baseOffset)).map(FakeFile::new);
    }

    private static final class FakeFile implements StorageFile {
        private final byte[] bytes;

        FakeFile(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        public int read(java.nio.ByteBuffer target, long position) {
            int count = (int) Math.min(target.remaining(), bytes.length - position);
            target.put(bytes, (int) position, count);
            return count;
        }

        @Override
        public void write(java.nio.ByteBuffer source, long position) {
            throw new AssertionError("only read");
        }

        @Override
        public void truncate(long size) {
            throw new AssertionError("only read");
        }

        @Override
        public void sync() {
            throw new AssertionError("only read");
        }

        @Override
        public long size() {
            return bytes.length;
        }

        @Override
        public void close() {
            // Nothing is held.
        }
    }
}
