package tidemark.server.grpc;

import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.StatusRuntimeException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import tidemark.server.batch.Futures;
import tidemark.statemachine.model.Outcome;
import tidemark.statemachine.model.StreamEntry;
import tidemark.v1.CreateStreamResponse;
import tidemark.v1.ErrorDetail;
import tidemark.v1.GetTailRequest;
import tidemark.v1.GetTailResponse;
import tidemark.v1.LogServiceGrpc;
import tidemark.v1.ReadMode;
import tidemark.v1.Stream;

/** Waits until a stream that the catalog has just created takes appends: until its leader answers a strict tail check. */
final class StreamBirth {
    private static final long RETRY_MILLIS = 50;
    /** Left of the deadline when waiting is given up, so that the client still gets the answer. */
    private static final long ANSWER_MILLIS = 200;

    private final ClusterSupport support;

    StreamBirth(ClusterSupport support) {
        this.support = support;
    }

    /** The response to CreateStream, once the stream has a leader. Fails as unavailable when it takes too long. */
    CompletableFuture<CreateStreamResponse> await(
            Outcome.StreamChanged created, Function<StreamEntry, Stream> describe) {
        Attempt attempt = new Attempt(created, describe);
        attempt.ask();
        return attempt.response;
    }

    private final class Attempt {
        private final Outcome.StreamChanged created;
        private final Function<StreamEntry, Stream> describe;
        private final Context context = Context.current();
        private final long giveUpNanos;
        private final CompletableFuture<CreateStreamResponse> response = new CompletableFuture<>();

        Attempt(Outcome.StreamChanged created, Function<StreamEntry, Stream> describe) {
            this.created = created;
            this.describe = describe;
            long patience = support.settings().createPatience().toMillis();
            Optional<Deadline> deadline = Optional.ofNullable(context.getDeadline());
            long left = deadline.map(d -> d.timeRemaining(TimeUnit.MILLISECONDS) - ANSWER_MILLIS)
                    .orElse(patience);
            this.giveUpNanos = support.time().monotonicNanos() + TimeUnit.MILLISECONDS.toNanos(left);
        }

        void ask() {
            long leftNanos = giveUpNanos - support.time().monotonicNanos();
            if (leftNanos <= 0) {
                giveUp();
                return;
            }
            GetTailRequest request = GetTailRequest.newBuilder()
                    .setStream(created.stream().name())
                    .setMode(ReadMode.READ_MODE_LINEARIZABLE)
                    .build();
            CompletableFuture<GetTailResponse> tail = Answer.of(observer -> LogServiceGrpc.newStub(support.self())
                    .withDeadlineAfter(leftNanos, TimeUnit.NANOSECONDS)
                    .getTail(request, observer));
            Futures.whenDone(tail, (found, failure) -> {
                if (found != null) {
                    response.complete(response(found));
                } else if (failure instanceof StatusRuntimeException status && mayComeYet(status)) {
                    support.timer().after(RETRY_MILLIS, context.wrap(this::ask));
                } else {
                    response.completeExceptionally(failure == null ? new IllegalStateException("no tail") : failure);
                }
            });
        }

        private CreateStreamResponse response(GetTailResponse tail) {
            Stream stream = describe.apply(created.stream()).toBuilder()
                    .setStartOffset(tail.getStartOffset())
                    .setEndOffset(tail.getEndOffset())
                    .setLastTimestampMs(tail.getLastTimestampMs())
                    .setLeaderId(tail.getServerId())
                    .build();
            return CreateStreamResponse.newBuilder()
                    .setStream(stream)
                    .setCreated(created.changed())
                    .build();
        }

        private void giveUp() {
            response.completeExceptionally(
                    Errors.unavailable(
                            created.stream().name(),
                            "stream '" + created.stream().name()
                                    + "' was created, but its group has no leader yet; create it again with the same settings to wait on"));
        }
    }

    /** Whether a failed tail check may succeed later. */
    private static boolean mayComeYet(StatusRuntimeException failure) {
        return Errors.detail(failure)
                .map(ErrorDetail::getReason)
                .map(reason -> switch (reason) {
                    case ERROR_REASON_NOT_LEADER,
                            ERROR_REASON_NO_LEADER,
                            ERROR_REASON_OVERLOADED,
                            ERROR_REASON_INDETERMINATE,
                            // A server whose copy of the catalog lags.
                            ERROR_REASON_STREAM_NOT_FOUND -> true;
                    default -> false;
                })
                // The deadline set above: the next turn gives up.
                .orElse(true);
    }
}
