package tidemark.server.grpc;

import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import tidemark.server.batch.Operation;
import tidemark.server.raft.ProposalException;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.machine.StreamView;
import tidemark.statemachine.model.Outcome;
import tidemark.v1.AppendRequest;
import tidemark.v1.AppendSessionRequest;
import tidemark.v1.GetTailRequest;
import tidemark.v1.GetTailResponse;
import tidemark.v1.LogServiceGrpc;
import tidemark.v1.Position;
import tidemark.v1.ReadMode;
import tidemark.v1.ReadRequest;
import tidemark.v1.TruncateRequest;
import tidemark.v1.TruncateResponse;

/** The methods of {@code tidemark.v1.LogService}. */
final class LogService {
    private final LogSupport support;
    private final Appends appends;

    LogService(LogSupport support, Appends appends) {
        this.support = support;
        this.appends = appends;
    }

    List<RoutedMethod<?>> methods() {
        return List.of(
                RoutedMethod.unary(
                        LogServiceGrpc.getAppendMethod(),
                        AppendRequest.getDefaultInstance(),
                        request -> Requests.streamLeader("stream", request.getStream()),
                        appends::append,
                        true),
                new RoutedMethod<>(
                        RoutedMethod.wire(LogServiceGrpc.getAppendSessionMethod()),
                        AppendSessionRequest.getDefaultInstance(),
                        AppendSessionLeg::target,
                        (first, here, out) -> new AppendSessionLeg(appends, first, here, out),
                        true),
                new RoutedMethod<>(
                        RoutedMethod.wire(LogServiceGrpc.getReadMethod()),
                        ReadRequest.getDefaultInstance(),
                        request -> Requests.reader(request.getStream(), request.getMode()),
                        (request, here, out) -> new ReadLeg(request, here, out, support),
                        false),
                RoutedMethod.unary(
                        LogServiceGrpc.getGetTailMethod(),
                        GetTailRequest.getDefaultInstance(),
                        request -> Requests.reader(request.getStream(), request.getMode()),
                        this::getTail,
                        false),
                RoutedMethod.unary(
                        LogServiceGrpc.getTruncateMethod(),
                        TruncateRequest.getDefaultInstance(),
                        request -> Requests.streamLeader("stream", request.getStream()),
                        this::truncate,
                        true));
    }

    private CompletableFuture<GetTailResponse> getTail(GetTailRequest request, Here here) {
        ReadMode mode = request.getMode();
        if (mode == ReadMode.READ_MODE_ANY) {
            return CompletableFuture.completedFuture(tail(here));
        }
        CompletableFuture<Void> mayRead = support.writes().opened(here);
        if (mode != ReadMode.READ_MODE_LEADER) {
            mayRead = mayRead.thenCompose(done -> support.writes().barrier(here));
        }
        return mayRead.thenApply(done -> tail(here));
    }

    private GetTailResponse tail(Here here) {
        StreamView view = view(here);
        return GetTailResponse.newBuilder()
                .setStartOffset(view.startOffset())
                .setEndOffset(view.endOffset())
                .setLastTimestampMs(view.lastTimestampMs())
                .setSealed(view.sealed())
                .setServerId(support.identity().serverId())
                .setTerm(here.hosted().leadership().term())
                .build();
    }

    private StreamView view(Here here) {
        return support.stored()
                .view(here.hosted(), here.stream().id())
                .orElseThrow(() -> new CompletionException(new ProposalException(
                        ProposalException.Kind.NOT_READY,
                        "this replica does not have the stream",
                        here.hosted().leadership().leaderId())));
    }

    private CompletableFuture<TruncateResponse> truncate(TruncateRequest request, Here here) {
        String stream = request.getStream();
        Position before = Requests.position(stream, "before", request.getBefore());
        OptionalLong expectedStart =
                Requests.atLeast(0, stream, "expected_start", request.hasExpectedStart(), request.getExpectedStart());
        // Finding a timestamp may read from disk.
        return support.writes()
                .opened(here)
                .thenApplyAsync(done -> resolve(before, here), support.readers().executor())
                .thenCompose(offset -> request.getDryRun()
                        ? CompletableFuture.completedFuture(dryRun(offset, expectedStart, here))
                        : truncate(offset, expectedStart, here));
    }

    private long resolve(Position before, Here here) {
        StreamView view = view(here);
        try {
            long offset = Positions.resolve(before, view);
            if (offset > view.endOffset()) {
                throw Errors.offsetBeyondEnd(here.stream().name(), offset, view.startOffset(), view.endOffset());
            }
            return offset;
        } catch (StorageException failure) {
            throw new CompletionException(failure);
        }
    }

    private TruncateResponse dryRun(long offset, OptionalLong expectedStart, Here here) {
        StreamView view = view(here);
        if (expectedStart.isPresent() && expectedStart.getAsLong() != view.startOffset()) {
            throw Errors.startConflict(
                    here.stream().name(), expectedStart.getAsLong(), view.startOffset(), view.endOffset());
        }
        return response(view.startOffset(), Math.max(offset, view.startOffset()), view.bytesFreedBefore(offset));
    }

    private CompletableFuture<TruncateResponse> truncate(long offset, OptionalLong expectedStart, Here here) {
        return support.writes()
                .submit(here, new Operation.Truncate(here.stream().id(), offset, expectedStart))
                .thenApply(outcome -> {
                    if (!(outcome instanceof Outcome.Truncated truncated)) {
                        throw Failures.of(outcome, here.stream().name());
                    }
                    return response(truncated.previousStart(), truncated.start(), truncated.freedBytes());
                });
    }

    private static TruncateResponse response(long previousStart, long start, long freedBytes) {
        return TruncateResponse.newBuilder()
                .setPreviousStartOffset(previousStart)
                .setStartOffset(start)
                .setRemovedRecords(start - previousStart)
                .setFreedBytes(freedBytes)
                .build();
    }
}
