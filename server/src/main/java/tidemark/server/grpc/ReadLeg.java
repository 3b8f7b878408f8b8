package tidemark.server.grpc;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import tidemark.server.batch.Futures;
import tidemark.server.raft.HostedGroup;
import tidemark.server.raft.ProposalException;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.format.StoredBatch;
import tidemark.statemachine.machine.StreamView;
import tidemark.v1.ReadMode;
import tidemark.v1.ReadRequest;
import tidemark.v1.ReadResponse;
import tidemark.v1.Record;
import tidemark.v1.StoredRecord;

/**
 * A read, served from this server's replica.
 *
 * <pre>
 *   opening ──→ reading ←──→ caught up (following: waits for news of the group)
 *                  │ ↑
 *                  ↓ │ the client can take more
 *               held back
 * </pre>
 *
 * <p>Threads: whatever may change something (the client takes more, news of the group, a heartbeat, the end of the call) only gives a
 * {@link #signal}. Signals start turns on the readers' executor, one turn at a time; everything below that is not volatile belongs to
 * turns. A turn sends a few messages and gives others a chance. What a read holds in memory is one decoded batch and one message, and
 * only while it is reading or was held back just now.
 */
final class ReadLeg implements Leg {
    /** A message is full when the next record would exceed this. */
    static final int MESSAGE_BYTES = 256 << 10;

    private static final int MESSAGES_A_TURN = 8;

    private final ReadRequest request;
    private final Here here;
    private final Downstream out;
    private final LogSupport support;
    private final ReadBounds bounds;

    private final AtomicInteger signals = new AtomicInteger();
    private volatile boolean cancelled;
    private volatile boolean draining;
    /** The last message said that the reader has caught up. */
    private volatile boolean toldCaughtUp;

    /** The client did not take more when it was last looked at. */
    private volatile boolean heldBack;

    private volatile long lastSentNanos;
    private volatile boolean heartbeatDue;
    private GroupWatches.@Nullable Registration watch;

    // Touched by turns only.
    private boolean opened;
    private boolean closed;
    private StoredStreams.@Nullable Batches batches;
    private long nextOffset;
    /** Nothing at or after this is delivered. */
    private long untilOffset;

    private long deliveredRecords;
    private long deliveredBytes;
    /** A bound was reached. */
    private boolean complete;

    private boolean sentAny;
    private List<Record> decoded = List.of();
    private long decodedBase;
    private long decodedTimestampMs;

    ReadLeg(ReadRequest request, Here here, Downstream out, LogSupport support) {
        this.request = request;
        this.here = here;
        this.out = out;
        this.support = support;
        this.bounds = ReadBounds.of(request);
    }

    @Override
    public void start() {
        support.readers().add(this, request.getStream());
        if (bounds.follow()) {
            watch = support.readers().watches().watch(here.hosted(), this::signal);
        }
        CompletableFuture<Void> mayRead = CompletableFuture.completedFuture(null);
        if (bounds.leader()) {
            mayRead = support.writes().opened(here);
        }
        if (request.getMode() == ReadMode.READ_MODE_LINEARIZABLE) {
            mayRead = mayRead.thenCompose(done -> support.writes().barrier(here));
        }
        Futures.whenDone(mayRead, (done, failure) -> {
            if (failure != null) {
                out.fail(failure);
                cancelled = true;
            }
            signal();
        });
    }

    @Override
    public void cancel() {
        cancelled = true;
        signal();
    }

    @Override
    public void ready() {
        signal();
    }

    /** A following read would never end by itself; another has an end. */
    @Override
    public void drain() {
        draining = bounds.follow();
        signal();
    }

    /** Called now and then: sends a heartbeat if it is time; has a reader that is held back for long give up its memory. */
    void tick() {
        if (heldBack && support.readers().isSlow(lastSentNanos)) {
            signal();
        }
        if (toldCaughtUp && support.readers().heartbeatDue(lastSentNanos)) {
            heartbeatDue = true;
            signal();
        }
    }

    private void signal() {
        if (signals.getAndIncrement() == 0) {
            execute();
        }
    }

    private void execute() {
        try {
            support.readers().executor().execute(this::turns);
        } catch (RejectedExecutionException stopping) {
            // No turn runs, and none will.
            out.fail(Errors.shuttingDown());
            close();
        }
    }

    private void turns() {
        int seen = signals.get();
        boolean more = turn();
        if (signals.addAndGet(-seen) != 0) {
            execute();
        } else if (more) {
            signal();
        }
    }

    /** Whether there is more to do at once. */
    private boolean turn() {
        if (closed) {
            return false;
        }
        try {
            if (cancelled) {
                close();
                return false;
            }
            return opened ? read() : open();
        } catch (StorageException | ProposalException | RuntimeException failure) {
            out.fail(failure);
            close();
            return false;
        }
    }

    private void close() {
        closed = true;
        decoded = List.of();
        support.readers().remove(this);
        if (watch != null) {
            watch.close();
        }
        if (batches != null) {
            batches.close();
        }
    }

    private boolean open() throws StorageException, ProposalException {
        StreamView view = view();
        long from = Positions.resolve(bounds.from(), view);
        if (from > view.endOffset()) {
            throw Errors.offsetBeyondEnd(request.getStream(), from, view.startOffset(), view.endOffset());
        }
        nextOffset = from;
        untilOffset = bounds.follow() ? bounds.untilOffset() : Math.min(bounds.untilOffset(), view.endOffset());
        batches = support.stored().batches(here.hosted(), here.stream().id());
        opened = true;
        return read();
    }

    /** The stream as it is now, if this server may (still) serve it. */
    private StreamView view() throws ProposalException {
        HostedGroup group = here.hosted();
        HostedGroup.Leadership leadership = group.leadership();
        if (bounds.leader() && !leadership.leads()) {
            throw new ProposalException(
                    ProposalException.Kind.NOT_LEADER, "this server does not lead any more", leadership.leaderId());
        }
        if (!support.isHosted(group)) {
            throw new ProposalException(ProposalException.Kind.CLOSED, "the replica was closed", leadership.leaderId());
        }
        return support.stored()
                .view(group, here.stream().id())
                .orElseThrow(() -> new ProposalException(
                        ProposalException.Kind.NOT_READY,
                        "this replica does not have the stream",
                        leadership.leaderId()));
    }

    private boolean read() throws StorageException, ProposalException {
        for (int messages = 0; messages < MESSAGES_A_TURN; messages++) {
            if (draining) {
                throw Errors.shuttingDown();
            }
            heldBack = !out.isReady();
            if (heldBack) {
                releaseIfSlow();
                return false;
            }
            StreamView view = view();
            requireReadable(view);
            boolean atEnd = nextOffset >= Math.min(untilOffset, view.endOffset());
            if (atEnd ? !atEnd(view) : !deliver(view)) {
                return false;
            }
        }
        return true;
    }

    /** Each message holds a reader back for a moment, which is no reason to read a batch twice. */
    private void releaseIfSlow() {
        if (support.readers().isSlow(lastSentNanos)) {
            decoded = List.of();
            requireNonNull(batches).release();
        }
    }

    private void requireReadable(StreamView view) {
        if (nextOffset < view.startOffset()) {
            throw Errors.offsetTruncated(request.getStream(), nextOffset, view.startOffset(), view.endOffset());
        }
    }

    /** Sends one message of records. Returns whether to go on. */
    private boolean deliver(StreamView view) throws StorageException, ProposalException {
        ReadResponse.Builder response = ReadResponse.newBuilder();
        long before = deliveredBytes;
        try {
            fill(response, Math.min(untilOffset, view.endOffset()));
        } catch (StoredStreams.NotReadableException overtaken) {
            requireReadable(view());
            throw overtaken;
        }
        if (response.getRecordsCount() > 0 || !sentAny) {
            send(response, view);
            support.metrics().read(response.getRecordsCount(), deliveredBytes - before);
        }
        if (complete || nextOffset >= untilOffset || endOfStream(view)) {
            out.finish();
            close();
            return false;
        }
        return true;
    }

    private void fill(ReadResponse.Builder response, long bound) throws StorageException, ProposalException {
        long messageBytes = 0;
        while (nextOffset < bound && !complete) {
            Record record = next();
            long bytes = Records.bytes(record);
            if (decodedTimestampMs >= bounds.untilTimestampMs()
                    || (deliveredRecords > 0 && deliveredBytes + bytes > bounds.maxBytes())) {
                complete = true;
                return;
            }
            if (response.getRecordsCount() > 0 && messageBytes + bytes > MESSAGE_BYTES) {
                return;
            }
            response.addRecords(StoredRecord.newBuilder()
                    .setOffset(nextOffset)
                    .setTimestampMs(decodedTimestampMs)
                    .setRecord(record));
            messageBytes += bytes;
            deliveredBytes += bytes;
            deliveredRecords++;
            nextOffset++;
            complete = deliveredRecords >= bounds.maxRecords();
        }
    }

    /** The record at the next offset. */
    private Record next() throws StorageException, ProposalException {
        if (nextOffset < decodedBase || nextOffset >= decodedBase + decoded.size()) {
            StoredBatch batch = requireNonNull(batches).at(nextOffset);
            decoded = Records.decode(batch);
            decodedBase = batch.baseOffset();
            decodedTimestampMs = batch.timestampMs();
        }
        return decoded.get((int) (nextOffset - decodedBase));
    }

    /** Nothing to deliver now. Returns whether to go on: never. */
    private boolean atEnd(StreamView view) {
        decoded = List.of();
        if (nextOffset >= untilOffset || endOfStream(view)) {
            if (!sentAny || endOfStream(view)) {
                send(ReadResponse.newBuilder(), view);
            }
            out.finish();
            close();
        } else if (!toldCaughtUp || heartbeatDue) {
            send(ReadResponse.newBuilder(), view);
        }
        return false;
    }

    private boolean endOfStream(StreamView view) {
        return view.sealed() && nextOffset >= view.endOffset();
    }

    private void send(ReadResponse.Builder response, StreamView view) {
        sentAny = true;
        toldCaughtUp = nextOffset >= view.endOffset();
        heartbeatDue = false;
        lastSentNanos = support.readers().nowNanos();
        out.send(response.setStartOffset(view.startOffset())
                .setEndOffset(view.endOffset())
                .setCaughtUp(toldCaughtUp)
                .setEndOfStream(endOfStream(view))
                .setNextOffset(nextOffset)
                .build()
                .toByteArray());
    }
}
