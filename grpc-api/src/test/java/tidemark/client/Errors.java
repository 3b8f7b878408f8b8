package tidemark.client;

import com.google.protobuf.Any;
import com.google.protobuf.Duration;
import com.google.rpc.RetryInfo;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import tidemark.v1.Effect;
import tidemark.v1.EndConflict;
import tidemark.v1.ErrorDetail;
import tidemark.v1.ErrorReason;
import tidemark.v1.LeaderHint;
import tidemark.v1.OffsetOutOfRange;

/** Failures as servers send them. */
final class Errors {
    private Errors() {}

    static StatusRuntimeException of(Status.Code code, ErrorDetail detail, Any... others) {
        com.google.rpc.Status.Builder status = com.google.rpc.Status.newBuilder()
                .setCode(code.value())
                .setMessage("as scripted")
                .addDetails(Any.pack(detail));
        for (Any other : others) {
            status.addDetails(other);
        }
        return StatusProto.toStatusRuntimeException(status.build());
    }

    static StatusRuntimeException of(Status.Code code, ErrorReason reason, Effect effect) {
        return of(
                code,
                ErrorDetail.newBuilder().setReason(reason).setEffect(effect).build());
    }

    static StatusRuntimeException notLeader(String serverId, String endpoint) {
        ErrorDetail.Builder detail = ErrorDetail.newBuilder()
                .setReason(ErrorReason.ERROR_REASON_NOT_LEADER)
                .setEffect(Effect.EFFECT_NONE);
        if (!serverId.isEmpty()) {
            detail.setLeaderHint(LeaderHint.newBuilder().setServerId(serverId).setEndpoint(endpoint));
        }
        return of(Status.Code.UNAVAILABLE, detail.build());
    }

    static StatusRuntimeException noLeader() {
        return of(Status.Code.UNAVAILABLE, ErrorReason.ERROR_REASON_NO_LEADER, Effect.EFFECT_NONE);
    }

    static StatusRuntimeException indeterminate() {
        return of(Status.Code.UNKNOWN, ErrorReason.ERROR_REASON_INDETERMINATE, Effect.EFFECT_INDETERMINATE);
    }

    static StatusRuntimeException sealed() {
        return of(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_SEALED, Effect.EFFECT_NONE);
    }

    static StatusRuntimeException unknownWriter() {
        return of(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_UNKNOWN_WRITER, Effect.EFFECT_NONE);
    }

    static StatusRuntimeException overloaded(long retryAfterSeconds) {
        RetryInfo retry = RetryInfo.newBuilder()
                .setRetryDelay(Duration.newBuilder().setSeconds(retryAfterSeconds))
                .build();
        ErrorDetail detail = ErrorDetail.newBuilder()
                .setReason(ErrorReason.ERROR_REASON_OVERLOADED)
                .setEffect(Effect.EFFECT_NONE)
                .build();
        return of(Status.Code.RESOURCE_EXHAUSTED, detail, Any.pack(retry));
    }

    static StatusRuntimeException endConflict(long expected, long actual) {
        return of(
                Status.Code.ABORTED,
                ErrorDetail.newBuilder()
                        .setReason(ErrorReason.ERROR_REASON_END_CONFLICT)
                        .setEffect(Effect.EFFECT_NONE)
                        .setEndConflict(EndConflict.newBuilder()
                                .setExpectedEnd(expected)
                                .setActualEnd(actual)
                                .setLastTimestampMs(7))
                        .build());
    }

    static StatusRuntimeException outOfRange(ErrorReason reason, long requested, long start, long end) {
        return of(
                Status.Code.OUT_OF_RANGE,
                ErrorDetail.newBuilder()
                        .setReason(reason)
                        .setOffsetOutOfRange(OffsetOutOfRange.newBuilder()
                                .setRequestedOffset(requested)
                                .setStartOffset(start)
                                .setEndOffset(end))
                        .build());
    }

    /** What a client sees when a connection breaks: a status without details. */
    static StatusRuntimeException connectionLost() {
        return Status.UNAVAILABLE.withDescription("connection lost").asRuntimeException();
    }
}
