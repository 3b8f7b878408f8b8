package tidemark.client;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.RetryInfo;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import tidemark.client.CallFailure.Kind;
import tidemark.v1.Effect;
import tidemark.v1.ErrorDetail;
import tidemark.v1.ErrorReason;
import tidemark.v1.LeaderHint;

/**
 * Turns what gRPC says about a failed call into what it means. Pure.
 *
 * <p>The rule for writes: "not written" needs a reason. That is an {@link ErrorDetail} that says so, or that the request
 * never left this machine, or that the server does not have the method. Anything else may have been written.
 */
final class Failures {
    private static final String DETAIL_SUFFIX =
            "/" + ErrorDetail.getDescriptor().getFullName();
    private static final String RETRY_SUFFIX = "/" + RetryInfo.getDescriptor().getFullName();
    private static final Duration RETRY_AFTER_MAX = Duration.ofHours(1);

    private Failures() {}

    /**
     * The meaning of a failed attempt.
     *
     * @param stream the stream the call names; empty if none
     * @param endpoint the server that was asked
     * @param write whether the call writes
     * @param sent whether the request, or a part of it, may have left this machine
     */
    static CallFailure of(
            Status status, @Nullable Metadata trailers, String stream, Endpoint endpoint, boolean write, boolean sent) {
        Throwable cause = new StatusRuntimeException(status, trailers);
        com.google.rpc.Status details = trailers == null ? null : StatusProto.fromStatusAndTrailers(status, trailers);
        ErrorDetail detail = details == null ? null : find(details);
        if (detail != null && details != null) {
            return fromDetail(detail, retryAfter(details), new Context(stream, endpoint, write, cause), status);
        }
        return withoutDetail(status, new Context(stream, endpoint, write, cause), sent);
    }

    private record Context(String stream, Endpoint endpoint, boolean write, Throwable cause) {}

    private static @Nullable ErrorDetail find(com.google.rpc.Status details) {
        for (Any any : details.getDetailsList()) {
            if (any.getTypeUrl().endsWith(DETAIL_SUFFIX)) {
                try {
                    return ErrorDetail.parseFrom(any.getValue());
                } catch (InvalidProtocolBufferException garbled) {
                    return null; // as good as absent: the outcome of a write is then unknown
                }
            }
        }
        return null;
    }

    private static Duration retryAfter(com.google.rpc.Status details) {
        for (Any any : details.getDetailsList()) {
            if (any.getTypeUrl().endsWith(RETRY_SUFFIX)) {
                try {
                    var delay = RetryInfo.parseFrom(any.getValue()).getRetryDelay();
                    Duration wanted = Duration.ofSeconds(
                            Math.max(0, Math.min(delay.getSeconds(), RETRY_AFTER_MAX.toSeconds())),
                            Math.max(0, Math.min(delay.getNanos(), 999_999_999)));
                    return wanted;
                } catch (InvalidProtocolBufferException garbled) {
                    return Duration.ZERO; // our own pauses do without it
                }
            }
        }
        return Duration.ZERO;
    }

    private static CallFailure fromDetail(ErrorDetail detail, Duration retryAfter, Context context, Status status) {
        String said = status.getDescription() == null ? "" : status.getDescription();
        String text = said.isEmpty() ? detail.getReason().name() : said;
        if (context.write() && !definitelyNotWritten(detail)) {
            return CallFailure.of(Kind.UNKNOWN, indeterminate(reason(detail), text, context));
        }
        TidemarkException exception = exception(detail, retryAfter, text, context);
        Kind kind = switch (detail.getReason()) {
            case ERROR_REASON_NOT_LEADER -> Kind.NOT_LEADER;
            case ERROR_REASON_NO_LEADER -> Kind.NO_LEADER;
            case ERROR_REASON_OVERLOADED -> Kind.OVERLOADED;
            case ERROR_REASON_SHUTTING_DOWN -> Kind.STOPPING;
            case ERROR_REASON_INDETERMINATE -> Kind.LOST; // of a read
            default -> Kind.REJECTED;
        };
        if (!detail.hasLeaderHint()) {
            return new CallFailure(kind, exception, "", null, retryAfter.toNanos());
        }
        LeaderHint hint = detail.getLeaderHint();
        return new CallFailure(
                kind, exception, hint.getServerId(), endpointOf(hint.getEndpoint()), retryAfter.toNanos());
    }

    /** Answers null if it is empty or malformed. */
    static @Nullable Endpoint endpointOf(String text) {
        try {
            return text.isEmpty() ? null : Endpoint.parse(text);
        } catch (IllegalArgumentException malformed) {
            return null; // a hint only: without it, servers forward
        }
    }

    private static boolean definitelyNotWritten(ErrorDetail detail) {
        if (detail.getEffect() == Effect.EFFECT_NONE) {
            return detail.getReason() != ErrorReason.ERROR_REASON_INDETERMINATE
                    && detail.getReason()
                            != ErrorReason.ERROR_REASON_SEQUENCE_EXPIRED; // that one was written, long ago
        }
        if (detail.getEffect() != Effect.EFFECT_UNSPECIFIED) {
            return false;
        }
        // Refusals: by their meaning nothing was written, even if the server forgets to say so.
        return switch (detail.getReason()) {
            case ERROR_REASON_INVALID_FIELD,
                    ERROR_REASON_UNKNOWN_FIELD,
                    ERROR_REASON_TOO_LARGE,
                    ERROR_REASON_STREAM_NOT_FOUND,
                    ERROR_REASON_STREAM_EXISTS,
                    ERROR_REASON_OFFSET_TRUNCATED,
                    ERROR_REASON_OFFSET_BEYOND_END,
                    ERROR_REASON_END_CONFLICT,
                    ERROR_REASON_START_CONFLICT,
                    ERROR_REASON_REVISION_CONFLICT,
                    ERROR_REASON_SEALED,
                    ERROR_REASON_OUT_OF_SEQUENCE,
                    ERROR_REASON_UNKNOWN_WRITER,
                    ERROR_REASON_NOT_LEADER,
                    ERROR_REASON_NOT_ENOUGH_SERVERS -> true;
            default -> false;
        };
    }

    private static TidemarkException exception(ErrorDetail detail, Duration retryAfter, String text, Context context) {
        String stream = context.stream();
        Throwable cause = context.cause();
        return switch (detail.getReason()) {
            case ERROR_REASON_INVALID_FIELD ->
                new TidemarkException.InvalidRequest(
                        stream, detail.getInvalidField().getField(), text, cause);
            case ERROR_REASON_UNKNOWN_FIELD -> new TidemarkException.Unsupported(stream, text, cause);
            case ERROR_REASON_TOO_LARGE ->
                new TidemarkException.TooLarge(
                        stream,
                        text,
                        detail.getLimitExceeded().getWhat(),
                        detail.getLimitExceeded().getActual(),
                        detail.getLimitExceeded().getLimit(),
                        cause);
            case ERROR_REASON_STREAM_NOT_FOUND -> new TidemarkException.StreamNotFound(stream, text, cause);
            case ERROR_REASON_STREAM_EXISTS -> new TidemarkException.StreamExists(stream, text, cause);
            case ERROR_REASON_OFFSET_TRUNCATED ->
                new TidemarkException.OffsetTruncated(stream, text, range(detail), cause);
            case ERROR_REASON_OFFSET_BEYOND_END ->
                new TidemarkException.OffsetBeyondEnd(stream, text, range(detail), cause);
            case ERROR_REASON_END_CONFLICT ->
                new TidemarkException.EndConflict(
                        stream,
                        text,
                        detail.getEndConflict().getExpectedEnd(),
                        detail.getEndConflict().getActualEnd(),
                        detail.getEndConflict().getLastTimestampMs(),
                        cause);
            case ERROR_REASON_START_CONFLICT -> new TidemarkException.StartConflict(stream, text, range(detail), cause);
            case ERROR_REASON_REVISION_CONFLICT -> new TidemarkException.RevisionConflict(stream, text, cause);
            case ERROR_REASON_OUT_OF_SEQUENCE, ERROR_REASON_UNKNOWN_WRITER, ERROR_REASON_SEQUENCE_EXPIRED ->
                new TidemarkException.WriterConflict(reason(detail), stream, text, cause);
            case ERROR_REASON_SEALED -> new TidemarkException.Sealed(stream, text, cause);
            case ERROR_REASON_OVERLOADED -> new TidemarkException.Overloaded(stream, text, retryAfter, cause);
            case ERROR_REASON_CORRUPT -> new TidemarkException.DataCorrupt(stream, text, cause);
            case ERROR_REASON_NOT_ENOUGH_SERVERS -> new TidemarkException.NotEnoughServers(stream, text, cause);
            case ERROR_REASON_NOT_LEADER,
                    ERROR_REASON_NO_LEADER,
                    ERROR_REASON_SHUTTING_DOWN,
                    ERROR_REASON_INDETERMINATE ->
                new TidemarkException.Unavailable(reason(detail), stream, text, cause);
            case ERROR_REASON_INTERNAL, ERROR_REASON_UNSPECIFIED, UNRECOGNIZED ->
                new TidemarkException.ServerDefect(stream, text, cause);
        };
    }

    private static Reason reason(ErrorDetail detail) {
        return switch (detail.getReason()) {
            case ERROR_REASON_NOT_LEADER -> Reason.NOT_LEADER;
            case ERROR_REASON_NO_LEADER -> Reason.NO_LEADER;
            case ERROR_REASON_OVERLOADED -> Reason.OVERLOADED;
            case ERROR_REASON_SHUTTING_DOWN -> Reason.SHUTTING_DOWN;
            case ERROR_REASON_CORRUPT -> Reason.CORRUPT;
            case ERROR_REASON_INTERNAL -> Reason.INTERNAL;
            case ERROR_REASON_OUT_OF_SEQUENCE -> Reason.OUT_OF_SEQUENCE;
            case ERROR_REASON_UNKNOWN_WRITER -> Reason.UNKNOWN_WRITER;
            case ERROR_REASON_SEQUENCE_EXPIRED -> Reason.SEQUENCE_EXPIRED;
            default -> Reason.INDETERMINATE;
        };
    }

    private static OffsetRange range(ErrorDetail detail) {
        var range = detail.getOffsetOutOfRange();
        return new OffsetRange(range.getRequestedOffset(), range.getStartOffset(), range.getEndOffset());
    }

    private static CallFailure withoutDetail(Status status, Context context, boolean sent) {
        String text = context.endpoint() + ": " + status.getCode()
                + (status.getDescription() == null ? "" : ": " + status.getDescription());
        Reason reason = status.getCode() == Status.Code.DEADLINE_EXCEEDED ? Reason.TIMEOUT : Reason.UNREACHABLE;
        if (status.getCode() == Status.Code.UNIMPLEMENTED) {
            return CallFailure.of(
                    Kind.REJECTED,
                    new TidemarkException.Unsupported(
                            context.stream(), "the server does not have this call: " + text, context.cause()));
        }
        if (context.write() && sent) {
            return CallFailure.of(Kind.UNKNOWN, indeterminate(reason, text, context));
        }
        return switch (status.getCode()) {
            case UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED, UNKNOWN, INTERNAL, ABORTED ->
                CallFailure.of(
                        sent ? Kind.LOST : Kind.UNREACHABLE,
                        new TidemarkException.Unavailable(reason, context.stream(), text, context.cause()));
            default ->
                CallFailure.of(
                        Kind.REJECTED, new TidemarkException.ServerDefect(context.stream(), text, context.cause()));
        };
    }

    private static TidemarkException indeterminate(Reason reason, String text, Context context) {
        return new TidemarkException.Indeterminate(
                reason, context.stream(), "may or may not have been written: " + text, context.cause());
    }
}
