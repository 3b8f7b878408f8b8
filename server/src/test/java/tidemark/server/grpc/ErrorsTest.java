package tidemark.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import com.google.rpc.Status;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tidemark.server.batch.AbandonedException;
import tidemark.server.raft.ProposalException;
import tidemark.server.raft.RaftHost.Member;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.model.Outcome;
import tidemark.v1.Effect;
import tidemark.v1.ErrorDetail;
import tidemark.v1.ErrorReason;

class ErrorsTest {
    private static final Member LEADER = new Member("s2", "host2", 7420, 7421);

    /** One of each reason, with the code that errors.proto promises. */
    static Stream<Arguments> errors() {
        return Stream.of(
                arguments(Errors.invalidField("s", "from.offset", "bad"), "INVALID_FIELD", Code.INVALID_ARGUMENT),
                arguments(Errors.unknownField("9"), "UNKNOWN_FIELD", Code.UNIMPLEMENTED),
                arguments(Errors.tooLarge("s", "record bytes", 2, 1), "TOO_LARGE", Code.INVALID_ARGUMENT),
                arguments(Errors.streamNotFound("s"), "STREAM_NOT_FOUND", Code.NOT_FOUND),
                arguments(Errors.streamExists("s", "x"), "STREAM_EXISTS", Code.ALREADY_EXISTS),
                arguments(Errors.offsetTruncated("s", 1, 2, 3), "OFFSET_TRUNCATED", Code.OUT_OF_RANGE),
                arguments(Errors.offsetBeyondEnd("s", 4, 2, 3), "OFFSET_BEYOND_END", Code.OUT_OF_RANGE),
                arguments(Errors.endConflict("s", 1, 2, 3), "END_CONFLICT", Code.ABORTED),
                arguments(Errors.sealed("s", 1), "SEALED", Code.FAILED_PRECONDITION),
                arguments(Errors.notLeader("s", Optional.of(LEADER)), "NOT_LEADER", Code.UNAVAILABLE),
                arguments(Errors.noLeader("s", "x"), "NO_LEADER", Code.UNAVAILABLE),
                arguments(Errors.overloaded("s", "too much waits"), "OVERLOADED", Code.RESOURCE_EXHAUSTED),
                arguments(Errors.indeterminate("s", "x"), "INDETERMINATE", Code.UNKNOWN),
                arguments(Errors.corrupt("s", "x"), "CORRUPT", Code.DATA_LOSS),
                arguments(Errors.shuttingDown(), "SHUTTING_DOWN", Code.UNAVAILABLE),
                arguments(Errors.notEnoughServers("s", 3, 1), "NOT_ENOUGH_SERVERS", Code.FAILED_PRECONDITION),
                arguments(Errors.internal("x"), "INTERNAL", Code.INTERNAL),
                arguments(Errors.startConflict("s", 1, 2, 3), "START_CONFLICT", Code.ABORTED),
                arguments(Errors.revisionConflict("s", 1, 2), "REVISION_CONFLICT", Code.ABORTED),
                arguments(Errors.outOfSequence("s", 2, 1), "OUT_OF_SEQUENCE", Code.FAILED_PRECONDITION),
                arguments(Errors.unknownWriter("s", 2), "UNKNOWN_WRITER", Code.FAILED_PRECONDITION),
                arguments(Errors.sequenceExpired("s", 2, 99), "SEQUENCE_EXPIRED", Code.FAILED_PRECONDITION));
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("errors")
    void carriesTheDetailsThatAreSpecifiedInTheirOrder(StatusRuntimeException error, String reason, Code code)
            throws InvalidProtocolBufferException {
        Status status = StatusProto.fromThrowable(error);
        assertThat(error.getStatus().getCode()).isEqualTo(code);
        assertThat(status.getMessage()).hasSizeGreaterThan(20);
        ErrorDetail detail = status.getDetails(0).unpack(ErrorDetail.class);
        assertThat(detail.getReason().name()).isEqualTo("ERROR_REASON_" + reason);
        assertThat(detail.getEffect())
                .isEqualTo(reason.equals("INDETERMINATE") ? Effect.EFFECT_INDETERMINATE : Effect.EFFECT_NONE);
        ErrorInfo info = status.getDetails(1).unpack(ErrorInfo.class);
        assertThat(info.getDomain()).isEqualTo("tidemark");
        assertThat(info.getReason()).isEqualTo(reason);
        assertThat(info.getMetadataMap().get("stream"))
                .isEqualTo(detail.getStream().isEmpty() ? null : detail.getStream());
        Set<String> retried = Set.of("NOT_LEADER", "NO_LEADER", "OVERLOADED", "SHUTTING_DOWN");
        assertThat(status.getDetailsCount()).isEqualTo(retried.contains(reason) ? 3 : 2);
        assertThat(retryMillis(error) > 0).isEqualTo(retried.contains(reason));
    }

    @Test
    void everyReasonOfTheContractCanBeMade() {
        Set<ErrorReason> made = errors().map(arguments ->
                        Errors.detail((StatusRuntimeException) arguments.get()[0]))
                .map(detail -> detail.orElseThrow().getReason())
                .collect(Collectors.toSet());

        assertThat(made)
                .containsExactlyInAnyOrderElementsOf(EnumSet.complementOf(
                        EnumSet.of(ErrorReason.ERROR_REASON_UNSPECIFIED, ErrorReason.UNRECOGNIZED)));
    }

    @Test
    void theLeaderIsHintedAt() {
        ErrorDetail detail = Calls.detail(Errors.notLeader("s", Optional.of(LEADER)));

        assertThat(detail.getLeaderHint().getServerId()).isEqualTo("s2");
        assertThat(detail.getLeaderHint().getEndpoint()).isEqualTo("host2:7420");
        assertThat(Calls.detail(Errors.notLeader("s", Optional.empty())).hasLeaderHint())
                .isFalse();
    }

    static Stream<Arguments> failures() {
        return Stream.of(
                arguments(
                        new ProposalException(ProposalException.Kind.NOT_LEADER, "x", Optional.of("s2")), "NOT_LEADER"),
                arguments(new ProposalException(ProposalException.Kind.NOT_READY, "x", Optional.empty()), "NO_LEADER"),
                arguments(
                        new ProposalException(ProposalException.Kind.OVERLOADED, "x", Optional.empty()), "OVERLOADED"),
                arguments(new ProposalException(ProposalException.Kind.CLOSED, "x", Optional.empty()), "NO_LEADER"),
                arguments(
                        new ProposalException(ProposalException.Kind.INDETERMINATE, "x", Optional.empty()),
                        "INDETERMINATE"),
                arguments(new AbandonedException("x"), "OVERLOADED"),
                arguments(new StorageException.Corrupt("f", 1, "a", "b"), "CORRUPT"),
                arguments(new StorageException("f"), "CORRUPT"),
                arguments(Errors.sealed("s", 1), "SEALED"),
                arguments(io.grpc.Status.UNKNOWN.asRuntimeException(), "INTERNAL"),
                arguments(new IllegalStateException("a defect"), "INTERNAL"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("failures")
    void whateverFailsBecomesATypedError(Throwable failure, String reason) {
        Throwable wrapped = new java.util.concurrent.CompletionException(failure);

        StatusRuntimeException error = Failures.of(wrapped, "s", id -> Optional.of(LEADER));

        assertThat(Errors.name(Calls.detail(error).getReason())).isEqualTo(reason);
    }

    @Test
    void aDefectIsNotShownToTheClientButUnderAnId() {
        StatusRuntimeException error =
                Failures.of(new IllegalStateException("secret path"), "s", id -> Optional.empty());

        assertThat(error.getStatus().getDescription()).doesNotContain("secret").contains("internal-");
    }

    static List<Arguments> outcomes() {
        return List.of(
                arguments(new Outcome.UnknownStream(), "STREAM_NOT_FOUND"),
                arguments(new Outcome.StreamSealed(1), "SEALED"),
                arguments(new Outcome.EndConflict(1, 2, 3), "END_CONFLICT"),
                arguments(new Outcome.StartConflict(1, 2, 3), "START_CONFLICT"),
                arguments(new Outcome.OutOfSequence(1, 2), "OUT_OF_SEQUENCE"),
                arguments(new Outcome.UnknownWriter(1), "UNKNOWN_WRITER"),
                arguments(new Outcome.SequenceExpired(1, 2), "SEQUENCE_EXPIRED"),
                arguments(new Outcome.BeyondEnd(3, 1, 2), "OFFSET_BEYOND_END"),
                arguments(new Outcome.RevisionConflict(1, 2), "REVISION_CONFLICT"),
                arguments(new Outcome.NotEnoughServers(3, 1), "NOT_ENOUGH_SERVERS"),
                arguments(new Outcome.Invalid("x"), "INTERNAL"),
                arguments(new Outcome.Done(), "INTERNAL"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("outcomes")
    void everyRejectionHasItsError(Outcome outcome, String reason) {
        assertThat(Errors.name(Calls.detail(Failures.of(outcome, "s")).getReason()))
                .isEqualTo(reason);
    }

    /** 0 if the error does not say. */
    static long retryMillis(StatusRuntimeException error) {
        for (Any any : StatusProto.fromThrowable(error).getDetailsList()) {
            if (any.is(RetryInfo.class)) {
                try {
                    com.google.protobuf.Duration delay =
                            any.unpack(RetryInfo.class).getRetryDelay();
                    return delay.getSeconds() * 1000 + delay.getNanos() / 1_000_000;
                } catch (InvalidProtocolBufferException malformed) {
                    throw new AssertionError(malformed);
                }
            }
        }
        return 0;
    }
}
