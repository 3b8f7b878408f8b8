package tidemark.client;

import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import tidemark.v1.ErrorReason;
import tidemark.v1.ReadRequest;
import tidemark.v1.ReadResponse;

/** The server's side of one {@code Read}: sends a message whenever the client has room. Thread-safe. */
final class FakeRead {
    private final FakeCluster cluster;
    private final FakeServer server;
    private final ReadRequest request;
    private final ServerCallStreamObserver<ReadResponse> observer;
    private final FakeCluster.Cut cut;
    private final long endAtStart;
    private long next;
    private long records;
    private int messages;
    private boolean toldCaughtUp;
    private boolean over;

    FakeRead(
            FakeCluster cluster,
            FakeServer server,
            ReadRequest request,
            ServerCallStreamObserver<ReadResponse> observer) {
        this.cluster = cluster;
        this.server = server;
        this.request = request;
        this.observer = observer;
        this.cut = cluster.nextCut();
        this.endAtStart = cluster.end();
        this.next = switch (request.getFrom().getAtCase()) {
            case OFFSET -> request.getFrom().getOffset();
            case LAST ->
                Math.max(cluster.start(), endAtStart - request.getFrom().getLast());
            case END -> endAtStart;
            default -> cluster.start();
        };
        observer.setOnReadyHandler(this::pump);
        observer.setOnCancelHandler(this::cancelled);
    }

    private synchronized void cancelled() {
        over = true;
        cluster.called(server.id + " read cancelled");
    }

    synchronized void pump() {
        while (!over && !server.silentReads && observer.isReady()) {
            if (messages >= cut.messages()) {
                end(cut.failure());
                return;
            }
            if (next < cluster.start()) {
                end(outOfRange(ErrorReason.ERROR_REASON_OFFSET_TRUNCATED));
                return;
            }
            if (next > cluster.end()) {
                end(outOfRange(ErrorReason.ERROR_REASON_OFFSET_BEYOND_END));
                return;
            }
            if (!step()) {
                return;
            }
        }
    }

    private StatusRuntimeException outOfRange(ErrorReason reason) {
        return Errors.outOfRange(reason, next, cluster.start(), cluster.end());
    }

    /** Sends one message or ends. Answers false if there is nothing to do now. */
    private boolean step() {
        long end = request.getFollow() ? cluster.end() : endAtStart;
        end = request.hasUntilOffset() ? Math.min(end, request.getUntilOffset()) : end;
        ReadResponse.Builder message = ReadResponse.newBuilder();
        while (next < end && message.getRecordsCount() < server.recordsPerMessage && !full()) {
            message.addRecords(cluster.stored(next));
            next++;
            records++;
        }
        boolean bound = full() || (request.hasUntilOffset() && next >= request.getUntilOffset());
        boolean caughtUp = next == cluster.end();
        boolean endOfStream = caughtUp && cluster.isSealed();
        if (message.getRecordsCount() > 0 || endOfStream || (caughtUp && request.getFollow() && !toldCaughtUp)) {
            toldCaughtUp = caughtUp;
            send(message.setCaughtUp(caughtUp).setEndOfStream(endOfStream));
        }
        if (bound || endOfStream || (!request.getFollow() && next >= end)) {
            over = true;
            observer.onCompleted();
            return false;
        }
        return next < end;
    }

    private boolean full() {
        return request.hasMaxRecords() && records >= request.getMaxRecords();
    }

    private void send(ReadResponse.Builder message) {
        Runnable before = server.beforeReadMessage;
        if (before != null) {
            before.run();
        }
        messages++;
        observer.onNext(message.setStartOffset(cluster.start())
                .setEndOffset(cluster.end())
                .setNextOffset(next)
                .build());
    }

    private void end(StatusRuntimeException failure) {
        over = true;
        observer.onError(failure);
    }
}
