package tidemark.server.grpc;

import com.google.protobuf.UnsafeByteOperations;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import tidemark.peer.proto.FetchSegmentRequest;
import tidemark.peer.proto.FetchSegmentResponse;
import tidemark.server.raft.HostedGroup;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.env.StorageFile;
import tidemark.statemachine.model.StreamId;

/**
 * Sends a range of a segment file, a chunk at a time and no faster than it is taken. Works in turns, as {@link ReadLeg} does, so that
 * a slow taker holds no thread.
 */
final class SegmentLeg implements Leg {
    static final int CHUNK_BYTES = 256 << 10;

    private final StoredCheckpoints checkpoints;
    private final HostedGroup group;
    private final StreamId stream;
    private final FetchSegmentRequest request;
    private final Downstream out;
    private final Executor executor;

    private final AtomicInteger signals = new AtomicInteger();
    private volatile boolean cancelled;

    // Touched by turns only.
    private @Nullable StorageFile file;
    private long position;
    private boolean closed;

    SegmentLeg(
            StoredCheckpoints checkpoints,
            HostedGroup group,
            StreamId stream,
            FetchSegmentRequest request,
            Downstream out,
            Executor executor) {
        this.checkpoints = checkpoints;
        this.group = group;
        this.stream = stream;
        this.request = request;
        this.out = out;
        this.executor = executor;
        this.position = request.getFromByte();
    }

    @Override
    public void start() {
        signal();
    }

    @Override
    public void ready() {
        signal();
    }

    @Override
    public void cancel() {
        cancelled = true;
        signal();
    }

    @Override
    public void drain() {
        out.fail(Errors.shuttingDown());
        cancel();
    }

    private void signal() {
        if (signals.getAndIncrement() == 0) {
            execute();
        }
    }

    private void execute() {
        try {
            executor.execute(this::turns);
        } catch (RejectedExecutionException stopping) {
            // No turn runs, and none will.
            fail(Errors.shuttingDown());
        }
    }

    private void turns() {
        int seen = signals.get();
        turn();
        if (signals.addAndGet(-seen) != 0) {
            execute();
        }
    }

    private void turn() {
        if (closed) {
            return;
        }
        try {
            if (cancelled) {
                close();
                return;
            }
            if (file == null) {
                file = checkpoints
                        .segment(group, stream, request.getBaseOffset())
                        .orElseThrow(
                                () -> Errors.notHere("segment " + request.getBaseOffset() + " of stream " + stream));
            }
            send(file);
        } catch (StorageException | RuntimeException failure) {
            fail(failure);
        }
    }

    private void send(StorageFile from) throws StorageException {
        while (position < request.getToByte()) {
            if (cancelled || !out.isReady()) {
                return;
            }
            ByteBuffer chunk = ByteBuffer.allocate((int) Math.min(CHUNK_BYTES, request.getToByte() - position));
            int read = from.read(chunk, position);
            if (read < chunk.capacity()) {
                throw Errors.notHere("byte " + (position + read) + " of segment " + request.getBaseOffset()
                        + " of stream " + stream);
            }
            position += read;
            out.send(FetchSegmentResponse.newBuilder()
                    .setChunk(UnsafeByteOperations.unsafeWrap(chunk.flip()))
                    .build()
                    .toByteArray());
        }
        out.finish();
        close();
    }

    private void fail(Throwable failure) {
        out.fail(failure);
        try {
            close();
        } catch (StorageException second) {
            failure.addSuppressed(second);
        }
    }

    private void close() throws StorageException {
        closed = true;
        StorageFile open = file;
        file = null;
        if (open != null) {
            open.close();
        }
    }
}
