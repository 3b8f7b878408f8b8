package tidemark.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tidemark.client.CallFailure.Kind;
import tidemark.v1.Effect;
import tidemark.v1.ErrorDetail;
import tidemark.v1.ErrorReason;
import tidemark.v1.LeaderHint;

/** What a status means: above all, "not written" is never said without a reason. */
class FailuresTest {
    private static final Endpoint SERVER = new Endpoint("a", 1);

    private static CallFailure meaning(StatusRuntimeException failure, boolean write, boolean sent) {
        return Failures.of(failure.getStatus(), failure.getTrailers(), "orders", SERVER, write, sent);
    }

    private static StatusRuntimeException failure(ErrorReason reason, Effect effect) {
        return Errors.of(Status.Code.UNKNOWN, reason, effect);
    }

    @ParameterizedTest
    @EnumSource(
            value = ErrorReason.class,
            names = {"UNRECOGNIZED"},
            mode = EnumSource.Mode.EXCLUDE)
    void writeWithIndeterminateEffectIsUnknownWhateverTheReason(ErrorReason reason) {
        CallFailure meaning = meaning(failure(reason, Effect.EFFECT_INDETERMINATE), true, true);
        assertThat(meaning.kind()).isEqualTo(Kind.UNKNOWN);
        assertThat(meaning.exception()).isInstanceOf(TidemarkException.Indeterminate.class);
    }

    @ParameterizedTest
    @EnumSource(
            value = ErrorReason.class,
            names = {"UNRECOGNIZED", "ERROR_REASON_INDETERMINATE", "ERROR_REASON_SEQUENCE_EXPIRED"},
            mode = EnumSource.Mode.EXCLUDE)
    void writeWithoutEffectIsNotUnknown(ErrorReason reason) {
        CallFailure meaning = meaning(failure(reason, Effect.EFFECT_NONE), true, true);
        assertThat(meaning.kind()).isNotEqualTo(Kind.UNKNOWN);
        assertThat(meaning.exception()).isNotInstanceOf(TidemarkException.Indeterminate.class);
        assertThat(meaning.exception().stream()).isEqualTo("orders");
    }

    @ParameterizedTest
    @EnumSource(
            value = ErrorReason.class,
            names = {
                "ERROR_REASON_INTERNAL",
                "ERROR_REASON_NO_LEADER",
                "ERROR_REASON_OVERLOADED",
                "ERROR_REASON_SHUTTING_DOWN",
                "ERROR_REASON_CORRUPT",
                "ERROR_REASON_UNSPECIFIED"
            })
    void writeWhoseEffectIsNotSaidIsUnknownUnlessItWasRefused(ErrorReason reason) {
        assertThat(meaning(failure(reason, Effect.EFFECT_UNSPECIFIED), true, true)
                        .kind())
                .isEqualTo(Kind.UNKNOWN);
        assertThat(meaning(failure(ErrorReason.ERROR_REASON_SEALED, Effect.EFFECT_UNSPECIFIED), true, true)
                        .kind())
                .isEqualTo(Kind.REJECTED);
    }

    @Test
    void failureWithoutDetailIsUnknownOnlyForAWriteThatWasSent() {
        StatusRuntimeException lost = Errors.connectionLost();
        assertThat(meaning(lost, true, true).kind()).isEqualTo(Kind.UNKNOWN);
        assertThat(meaning(lost, true, false).kind()).isEqualTo(Kind.UNREACHABLE);
        assertThat(meaning(lost, false, true).kind()).isEqualTo(Kind.LOST);
        assertThat(meaning(Status.UNIMPLEMENTED.asRuntimeException(), true, true)
                        .exception())
                .isInstanceOf(TidemarkException.Unsupported.class);
        assertThat(meaning(Status.PERMISSION_DENIED.asRuntimeException(), false, true)
                        .kind())
                .isEqualTo(Kind.REJECTED);
    }

    @Test
    void garbledDetailIsNoDetail() {
        Any garbled = Any.newBuilder()
                .setTypeUrl("type.googleapis.com/tidemark.v1.ErrorDetail")
                .setValue(ByteString.copyFromUtf8("\377\377"))
                .build();
        StatusRuntimeException failure = StatusProto.toStatusRuntimeException(com.google.rpc.Status.newBuilder()
                .setCode(Status.Code.ABORTED.value())
                .addDetails(garbled)
                .build());
        assertThat(meaning(failure, true, true).kind()).isEqualTo(Kind.UNKNOWN);
        assertThat(Failures.of(Status.ABORTED, new Metadata(), "", SERVER, true, true)
                        .kind())
                .isEqualTo(Kind.UNKNOWN);
    }

    @Test
    void hintAndRetryDelayAreTakenOver() {
        ErrorDetail detail = ErrorDetail.newBuilder()
                .setReason(ErrorReason.ERROR_REASON_NOT_LEADER)
                .setEffect(Effect.EFFECT_NONE)
                .setLeaderHint(LeaderHint.newBuilder().setServerId("b").setEndpoint("[::1]:7"))
                .build();
        CallFailure meaning = meaning(Errors.of(Status.Code.UNAVAILABLE, detail), true, true);
        assertThat(meaning.kind()).isEqualTo(Kind.NOT_LEADER);
        assertThat(meaning.hintServerId()).isEqualTo("b");
        assertThat(meaning.hintEndpoint()).isEqualTo(new Endpoint("::1", 7));
        assertThat(meaning(Errors.overloaded(3), true, true).retryAfterNanos()).isEqualTo(3_000_000_000L);
        assertThat(meaning(Errors.overloaded(Long.MAX_VALUE / 2), true, true).retryAfterNanos())
                .isEqualTo(3_600_000_000_000L);
    }
}
