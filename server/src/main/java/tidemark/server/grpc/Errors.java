package tidemark.server.grpc;

import com.google.protobuf.Any;
import com.google.protobuf.Duration;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import com.google.rpc.Status;
import io.grpc.Metadata;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tidemark.server.raft.RaftHost.Member;
import tidemark.v1.Effect;
import tidemark.v1.EndConflict;
import tidemark.v1.ErrorDetail;
import tidemark.v1.ErrorReason;
import tidemark.v1.InvalidField;
import tidemark.v1.LeaderHint;
import tidemark.v1.LimitExceeded;
import tidemark.v1.OffsetOutOfRange;
import tidemark.v1.SequenceConflict;

/**
 * The one place where errors for clients are made: each is a {@link StatusRuntimeException} with the details that errors.proto
 * promises. Messages are for people: what is wrong, where, and what to do.
 */
final class Errors {
    static final String DOMAIN = "tidemark";

    /** When to try again if nothing better is known: about the time of an election. */
    private static final long ELECTION_RETRY_MILLIS = 300;

    private static final long OVERLOAD_RETRY_MILLIS = 100;

    private static final String REASON_PREFIX = "ERROR_REASON_";

    private Errors() {}

    static StatusRuntimeException invalidField(String stream, String field, String problem) {
        return error(ErrorReason.ERROR_REASON_INVALID_FIELD, stream, "field '" + field + "': " + problem)
                .fact("field", field)
                .fact("problem", problem)
                .detail(d -> d.setInvalidField(
                        InvalidField.newBuilder().setField(field).setProblem(problem)))
                .build();
    }

    static StatusRuntimeException unknownField(String path) {
        return error(
                        ErrorReason.ERROR_REASON_UNKNOWN_FIELD,
                        "",
                        "the request has something this server does not know at '" + path
                                + "', so it cannot tell what was asked for; upgrade the server, or leave it out")
                .fact("field", path)
                .build();
    }

    static StatusRuntimeException tooLarge(String stream, String what, long actual, long limit) {
        return error(
                        ErrorReason.ERROR_REASON_TOO_LARGE,
                        stream,
                        what + ": " + actual + " is over the limit of " + limit + "; send less at a time")
                .fact("what", what)
                .fact("actual", actual)
                .fact("limit", limit)
                .detail(d -> d.setLimitExceeded(LimitExceeded.newBuilder()
                        .setWhat(what)
                        .setActual(actual)
                        .setLimit(limit)))
                .build();
    }

    static StatusRuntimeException streamNotFound(String stream) {
        return error(
                        ErrorReason.ERROR_REASON_STREAM_NOT_FOUND,
                        stream,
                        "no stream is named '" + stream + "'; create it first, or check the name")
                .build();
    }

    /** For servers that ask for something that was deleted, or never was. */
    static StatusRuntimeException notHere(String what) {
        return error(ErrorReason.ERROR_REASON_STREAM_NOT_FOUND, "", "this server does not have " + what)
                .build();
    }

    static StatusRuntimeException streamExists(String stream, String difference) {
        return error(
                        ErrorReason.ERROR_REASON_STREAM_EXISTS,
                        stream,
                        "stream '" + stream + "' exists with other settings (" + difference
                                + "); use the same settings, update it, or choose another name")
                .build();
    }

    static StatusRuntimeException offsetTruncated(String stream, long requested, long start, long end) {
        return outOfRange(
                ErrorReason.ERROR_REASON_OFFSET_TRUNCATED,
                stream,
                "offset " + requested + " of stream '" + stream + "' was truncated; readable are " + start + " to "
                        + end + ": go on from " + start + ", knowing that records were missed",
                new Range(requested, start, end));
    }

    static StatusRuntimeException offsetBeyondEnd(String stream, long requested, long start, long end) {
        return outOfRange(
                ErrorReason.ERROR_REASON_OFFSET_BEYOND_END,
                stream,
                "offset " + requested + " lies beyond the end of stream '" + stream + "', which is " + end
                        + "; readable are " + start + " to " + end,
                new Range(requested, start, end));
    }

    static StatusRuntimeException startConflict(String stream, long expected, long start, long end) {
        return outOfRange(
                ErrorReason.ERROR_REASON_START_CONFLICT,
                stream,
                "the start of stream '" + stream + "' is " + start + ", not " + expected
                        + " as expected; nothing was truncated",
                new Range(expected, start, end));
    }

    private record Range(long requested, long start, long end) {}

    private static StatusRuntimeException outOfRange(ErrorReason reason, String stream, String message, Range range) {
        return error(reason, stream, message)
                .fact("requested_offset", range.requested)
                .fact("start_offset", range.start)
                .fact("end_offset", range.end)
                .detail(d -> d.setOffsetOutOfRange(OffsetOutOfRange.newBuilder()
                        .setRequestedOffset(range.requested)
                        .setStartOffset(range.start)
                        .setEndOffset(range.end)))
                .build();
    }

    static StatusRuntimeException endConflict(String stream, long expected, long actual, long lastTimestampMs) {
        return error(
                        ErrorReason.ERROR_REASON_END_CONFLICT,
                        stream,
                        "the end of stream '" + stream + "' is " + actual + ", not " + expected
                                + " as expected; nothing was appended: read what is new, and decide again")
                .fact("expected_end", expected)
                .fact("actual_end", actual)
                .fact("last_timestamp_ms", lastTimestampMs)
                .detail(d -> d.setEndConflict(EndConflict.newBuilder()
                        .setExpectedEnd(expected)
                        .setActualEnd(actual)
                        .setLastTimestampMs(lastTimestampMs)))
                .build();
    }

    static StatusRuntimeException sealed(String stream, long end) {
        return error(
                        ErrorReason.ERROR_REASON_SEALED,
                        stream,
                        "stream '" + stream + "' is sealed at offset " + end
                                + " and takes no more appends; use another stream")
                .fact("end_offset", end)
                .build();
    }

    static StatusRuntimeException notLeader(String stream, Optional<Member> leader) {
        Draft draft = error(
                ErrorReason.ERROR_REASON_NOT_LEADER,
                stream,
                "this server does not lead " + subject(stream)
                        + leader.map(m -> "; ask " + m.id() + " at " + m.clientEndpoint())
                                .orElse("; ask another server"));
        draft.retryAfterMillis(ELECTION_RETRY_MILLIS);
        leader.ifPresent(member -> draft.fact("leader_id", member.id())
                .fact("leader_endpoint", member.clientEndpoint())
                .detail(d -> d.setLeaderHint(
                        LeaderHint.newBuilder().setServerId(member.id()).setEndpoint(member.clientEndpoint()))));
        return draft.build();
    }

    /** @param why ends the message, e.g. "an election is running" */
    static StatusRuntimeException noLeader(String stream, String why) {
        return error(
                        ErrorReason.ERROR_REASON_NO_LEADER,
                        stream,
                        subject(stream) + " has no leader at present: " + why + "; try again soon")
                .retryAfterMillis(ELECTION_RETRY_MILLIS)
                .build();
    }

    /** A definite UNAVAILABLE with a message of its own. */
    static StatusRuntimeException unavailable(String stream, String message) {
        return error(ErrorReason.ERROR_REASON_NO_LEADER, stream, message)
                .retryAfterMillis(ELECTION_RETRY_MILLIS)
                .build();
    }

    static StatusRuntimeException overloaded(String stream, String what) {
        return error(ErrorReason.ERROR_REASON_OVERLOADED, stream, what + "; try again later")
                .retryAfterMillis(OVERLOAD_RETRY_MILLIS)
                .build();
    }

    static StatusRuntimeException indeterminate(String stream, String why) {
        return error(
                        ErrorReason.ERROR_REASON_INDETERMINATE,
                        stream,
                        "it is unknown whether this was written to " + subject(stream) + ": " + why
                                + "; read the end of the stream before trying again, or use a condition or a writer id")
                .detail(d -> d.setEffect(Effect.EFFECT_INDETERMINATE))
                .build();
    }

    static StatusRuntimeException corrupt(String stream, String what) {
        return error(
                        ErrorReason.ERROR_REASON_CORRUPT,
                        stream,
                        "this replica of " + subject(stream) + " cannot be read: " + what + "; ask another replica")
                .build();
    }

    static StatusRuntimeException shuttingDown() {
        return error(ErrorReason.ERROR_REASON_SHUTTING_DOWN, "", "this server is stopping; ask another one")
                .retryAfterMillis(ELECTION_RETRY_MILLIS)
                .build();
    }

    static StatusRuntimeException notEnoughServers(String stream, int wanted, int available) {
        return error(
                        ErrorReason.ERROR_REASON_NOT_ENOUGH_SERVERS,
                        stream,
                        "stream '" + stream + "' wants " + wanted + " replicas, and there are " + available
                                + " servers; add servers, or ask for fewer replicas")
                .fact("wanted", wanted)
                .fact("available", available)
                .build();
    }

    static StatusRuntimeException internal(String id) {
        return error(
                        ErrorReason.ERROR_REASON_INTERNAL,
                        "",
                        "a defect of the server; its log has the details under " + id)
                .fact("id", id)
                .build();
    }

    static StatusRuntimeException revisionConflict(String stream, long expected, long actual) {
        return error(
                        ErrorReason.ERROR_REASON_REVISION_CONFLICT,
                        stream,
                        "the settings of stream '" + stream + "' are at revision " + actual + ", not " + expected
                                + " as expected; nothing was changed: get the stream, and decide again")
                .fact("expected_revision", expected)
                .fact("actual_revision", actual)
                .build();
    }

    static StatusRuntimeException outOfSequence(String stream, long sequence, long next) {
        return sequence(
                ErrorReason.ERROR_REASON_OUT_OF_SEQUENCE,
                stream,
                "the writer's next sequence is " + next + ", not " + sequence
                        + ": an append before this one is missing; send that first",
                sequence,
                next);
    }

    static StatusRuntimeException unknownWriter(String stream, long sequence) {
        return sequence(
                ErrorReason.ERROR_REASON_UNKNOWN_WRITER,
                stream,
                "the stream does not remember this writer, so it cannot tell whether sequence " + sequence
                        + " was written before; find out, then start as a new writer from sequence 0",
                sequence,
                0);
    }

    static StatusRuntimeException sequenceExpired(String stream, long sequence, long next) {
        return sequence(
                ErrorReason.ERROR_REASON_SEQUENCE_EXPIRED,
                stream,
                "sequence " + sequence
                        + " was written before, once, but its offsets are no longer remembered; the writer's next is "
                        + next,
                sequence,
                next);
    }

    private static StatusRuntimeException sequence(
            ErrorReason reason, String stream, String message, long sequence, long next) {
        return error(reason, stream, message)
                .fact("sequence", sequence)
                .fact("next_sequence", next)
                .detail(d -> d.setSequenceConflict(
                        SequenceConflict.newBuilder().setSequence(sequence).setNextSequence(next)))
                .build();
    }

    /** The error of another server, for the client that it was forwarded for; without what else the other server sent. */
    static StatusRuntimeException relayed(io.grpc.Status status, Metadata trailers) {
        return StatusProto.toStatusRuntimeException(StatusProto.fromStatusAndTrailers(status, trailers));
    }

    /** What a failed call of a Tidemark server tells; empty if the failure is not from one. */
    static Optional<ErrorDetail> detail(io.grpc.Status status, Metadata trailers) {
        Status full = StatusProto.fromStatusAndTrailers(status, trailers);
        for (Any any : full.getDetailsList()) {
            if (any.is(ErrorDetail.class)) {
                try {
                    return Optional.of(any.unpack(ErrorDetail.class));
                } catch (InvalidProtocolBufferException malformed) {
                    // Then it is not one of ours.
                    return Optional.empty();
                }
            }
        }
        return Optional.empty();
    }

    static Optional<ErrorDetail> detail(StatusRuntimeException failure) {
        Metadata trailers = failure.getTrailers();
        return trailers == null ? Optional.empty() : detail(failure.getStatus(), trailers);
    }

    /** A reason's name as generic tools see it. */
    static String name(ErrorReason reason) {
        return reason.name().substring(REASON_PREFIX.length());
    }

    private static String subject(String stream) {
        return stream.isEmpty() ? "the cluster" : "stream '" + stream + "'";
    }

    private static Draft error(ErrorReason reason, String stream, String message) {
        return new Draft(reason, stream, message);
    }

    private static Code code(ErrorReason reason) {
        return switch (reason) {
            case ERROR_REASON_INVALID_FIELD, ERROR_REASON_TOO_LARGE -> Code.INVALID_ARGUMENT;
            case ERROR_REASON_UNKNOWN_FIELD -> Code.UNIMPLEMENTED;
            case ERROR_REASON_STREAM_NOT_FOUND -> Code.NOT_FOUND;
            case ERROR_REASON_STREAM_EXISTS -> Code.ALREADY_EXISTS;
            case ERROR_REASON_OFFSET_TRUNCATED, ERROR_REASON_OFFSET_BEYOND_END -> Code.OUT_OF_RANGE;
            case ERROR_REASON_END_CONFLICT, ERROR_REASON_START_CONFLICT, ERROR_REASON_REVISION_CONFLICT -> Code.ABORTED;
            case ERROR_REASON_SEALED,
                    ERROR_REASON_NOT_ENOUGH_SERVERS,
                    ERROR_REASON_OUT_OF_SEQUENCE,
                    ERROR_REASON_UNKNOWN_WRITER,
                    ERROR_REASON_SEQUENCE_EXPIRED -> Code.FAILED_PRECONDITION;
            case ERROR_REASON_NOT_LEADER, ERROR_REASON_NO_LEADER, ERROR_REASON_SHUTTING_DOWN -> Code.UNAVAILABLE;
            case ERROR_REASON_OVERLOADED -> Code.RESOURCE_EXHAUSTED;
            case ERROR_REASON_INDETERMINATE -> Code.UNKNOWN;
            case ERROR_REASON_CORRUPT -> Code.DATA_LOSS;
            case ERROR_REASON_INTERNAL -> Code.INTERNAL;
            case ERROR_REASON_UNSPECIFIED, UNRECOGNIZED ->
                throw new IllegalArgumentException("not a reason: " + reason);
        };
    }

    /** An error in the making. */
    private static final class Draft {
        private final ErrorReason reason;
        private final String message;
        private final ErrorDetail.Builder detail;
        private final Map<String, String> facts = new LinkedHashMap<>();
        private long retryAfterMillis;

        Draft(ErrorReason reason, String stream, String message) {
            this.reason = reason;
            this.message = message;
            this.detail = ErrorDetail.newBuilder()
                    .setReason(reason)
                    .setEffect(Effect.EFFECT_NONE)
                    .setStream(stream);
            if (!stream.isEmpty()) {
                facts.put("stream", stream);
            }
        }

        Draft fact(String name, Object value) {
            facts.put(name, String.valueOf(value));
            return this;
        }

        Draft detail(java.util.function.Consumer<ErrorDetail.Builder> change) {
            change.accept(detail);
            return this;
        }

        Draft retryAfterMillis(long millis) {
            this.retryAfterMillis = millis;
            return this;
        }

        StatusRuntimeException build() {
            Status.Builder status = Status.newBuilder()
                    .setCode(code(reason).value())
                    .setMessage(message)
                    .addDetails(Any.pack(detail.build()))
                    .addDetails(Any.pack(ErrorInfo.newBuilder()
                            .setDomain(DOMAIN)
                            .setReason(name(reason))
                            .putAllMetadata(facts)
                            .build()));
            if (retryAfterMillis > 0) {
                status.addDetails(Any.pack(RetryInfo.newBuilder()
                        .setRetryDelay(Duration.newBuilder()
                                .setSeconds(retryAfterMillis / 1000)
                                .setNanos((int) (retryAfterMillis % 1000) * 1_000_000))
                        .build()));
            }
            return StatusProto.toStatusRuntimeException(status.build());
        }
    }
}
