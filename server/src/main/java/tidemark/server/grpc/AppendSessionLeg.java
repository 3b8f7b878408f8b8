package tidemark.server.grpc;

import static java.util.Objects.requireNonNull;

import java.util.ArrayDeque;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import tidemark.server.batch.Futures;
import tidemark.server.batch.Lane;
import tidemark.server.batch.Operation;
import tidemark.statemachine.format.Batch;
import tidemark.v1.AppendResponse;
import tidemark.v1.AppendSessionRequest;
import tidemark.v1.AppendSessionResponse;

/**
 * An append session, served by the leader.
 *
 * <p>Each append is handed to the batcher as it comes, and waits in a queue until it and all before it have been answered. The lane
 * keeps an append from being written once one before it has failed. An append with a condition is handed over only when it is alone
 * in the queue, and nothing is taken from the client while it waits.
 *
 * <p>Back-pressure: nothing is taken from the client while {@link #APPENDS_MAX} appends or {@link #BYTES_MAX} bytes wait, or while
 * the client does not take the responses.
 *
 * <p>Threads: the client's events come one at a time, outcomes from any thread; the lock guards the state.
 */
final class AppendSessionLeg implements Leg {
    static final int APPENDS_MAX = 64;
    static final long BYTES_MAX = 4 << 20;

    private final Appends appends;
    private final AppendSessionRequest.Open open;
    private final Here here;
    private final Downstream out;
    private final Lane lane = new Lane();

    // Guarded by this.
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private long waitingBytes;
    private long taken;
    /** A message was asked for and has not come yet. */
    private boolean requested;

    /** An append was refused, though not told yet: none is taken any more. */
    private boolean refused;

    private boolean clientDone;
    private boolean draining;
    private boolean ended;

    AppendSessionLeg(Appends appends, AppendSessionRequest first, Here here, Downstream out) {
        this.appends = appends;
        this.open = first.getOpen();
        this.here = here;
        this.out = out;
    }

    /** Where the session must be served, by its first message. */
    static Target target(AppendSessionRequest first) {
        if (!first.hasOpen()) {
            throw Errors.invalidField("", "open", "the first message of a session must be 'open'");
        }
        return Requests.streamLeader("open.stream", first.getOpen().getStream());
    }

    @Override
    public void start() {
        Requests.ackLevel(open.getAckLevel());
        if (!open.getWriterId().isEmpty()) {
            writer(0);
        } else if (open.getFirstSequence() != 0) {
            throw Errors.invalidField(open.getStream(), "open.first_sequence", "is set, but there is no writer_id");
        }
        out.accept();
        requestMore();
    }

    private Optional<Operation.Writer> writer(long position) {
        if (open.getWriterId().isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(Appends.writer(
                open.getStream(),
                "open.writer_id",
                open.getWriterId(),
                "open.first_sequence",
                open.getFirstSequence() + position));
    }

    @Override
    public void message(byte[] message) {
        Waiting next;
        boolean submit;
        synchronized (this) {
            requested = false;
            if (ended || refused) {
                return;
            }
            next = waiting(message, taken++);
            refused = next.failure != null;
            submit = next.operation != null && (!next.conditional() || waiting.isEmpty());
            next.submitted = submit;
            waiting.add(next);
            waitingBytes += message.length;
        }
        if (submit) {
            submit(next);
        } else if (next.failure != null) {
            answer();
        }
        requestMore();
    }

    /** What is wrong with an append is told only after those before it were answered. */
    private Waiting waiting(byte[] message, long position) {
        Waiting next = new Waiting(message.length);
        try {
            AppendSessionRequest request = RoutedMethod.parse(AppendSessionRequest.getDefaultInstance(), message, true);
            if (!request.hasAppend()) {
                throw Errors.invalidField(open.getStream(), "append", "each message after the first must be 'append'");
            }
            AppendSessionRequest.Append append = request.getAppend();
            OptionalLong expectedEnd = Requests.atLeast(
                    0, open.getStream(), "append.expected_end", append.hasExpectedEnd(), append.getExpectedEnd());
            Batch batch = Records.encode(
                    open.getStream(),
                    append.getRecordsList(),
                    here.stream().settings().maxRecordBytes());
            next.operation = new Operation.Append(here.stream().id(), batch, expectedEnd, writer(position));
        } catch (RuntimeException invalid) {
            next.failure = invalid;
        }
        return next;
    }

    private void submit(Waiting next) {
        Operation.Append operation = requireNonNull(next.operation);
        Futures.whenDone(appends.append(here, operation, lane), (response, failure) -> {
            synchronized (this) {
                next.response = response;
                next.failure = failure;
            }
            answer();
            requestMore();
        });
    }

    /** Answers whatever is ready, in order; then hands over a condition whose turn has come, or ends. */
    private void answer() {
        @Nullable Waiting alone = null;
        synchronized (this) {
            while (!ended && !waiting.isEmpty() && waiting.element().done()) {
                Waiting oldest = waiting.remove();
                waitingBytes -= oldest.bytes;
                if (oldest.response == null) {
                    end();
                    out.fail(requireNonNull(oldest.failure));
                } else {
                    out.send(AppendSessionResponse.newBuilder()
                            .setAppended(oldest.response)
                            .build()
                            .toByteArray());
                }
            }
            if (waiting.size() == 1 && waiting.element().conditional() && !waiting.element().submitted) {
                alone = waiting.element();
                alone.submitted = true;
            }
            endIfAllAnswered();
        }
        if (alone != null) {
            submit(alone);
        }
    }

    private synchronized void endIfAllAnswered() {
        if (ended || !waiting.isEmpty()) {
            return;
        }
        if (clientDone) {
            end();
            out.finish();
        } else if (draining) {
            end();
            out.fail(Errors.shuttingDown());
        }
    }

    private synchronized void end() {
        ended = true;
        lane.fail();
    }

    private void requestMore() {
        synchronized (this) {
            boolean full = waiting.size() >= APPENDS_MAX || waitingBytes >= BYTES_MAX || !out.isReady();
            boolean blocked = !waiting.isEmpty() && waiting.getLast().conditional();
            if (requested || refused || full || blocked || clientDone || draining || ended) {
                return;
            }
            requested = true;
        }
        out.request(1);
    }

    @Override
    public void halfClose() {
        synchronized (this) {
            clientDone = true;
            endIfAllAnswered();
        }
    }

    @Override
    public void cancel() {
        end();
    }

    @Override
    public void ready() {
        requestMore();
    }

    @Override
    public void drain() {
        synchronized (this) {
            draining = true;
            endIfAllAnswered();
        }
    }

    /** An append that is not answered yet. Guarded by the session. */
    private static final class Waiting {
        private final int bytes;
        private Operation.@Nullable Append operation;
        private boolean submitted;
        private @Nullable AppendResponse response;
        private @Nullable Throwable failure;

        Waiting(int bytes) {
            this.bytes = bytes;
        }

        boolean conditional() {
            return operation != null && operation.expectedEnd().isPresent();
        }

        boolean done() {
            return response != null || failure != null;
        }
    }
}
