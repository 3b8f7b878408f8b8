package tidemark.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import io.grpc.StatusRuntimeException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import tidemark.v1.AppendRequest;
import tidemark.v1.ErrorDetail;
import tidemark.v1.ErrorReason;
import tidemark.v1.Position;
import tidemark.v1.ReadRequest;
import tidemark.v1.ReadResponse;
import tidemark.v1.Record;
import tidemark.v1.StoredRecord;

/** Requests and errors, as tests use them. */
final class Calls {
    private Calls() {}

    static AppendRequest append(String stream, String... payloads) {
        return AppendRequest.newBuilder()
                .setStream(stream)
                .addAllRecords(records(payloads))
                .build();
    }

    static List<Record> records(String... payloads) {
        return Arrays.stream(payloads).map(Calls::record).toList();
    }

    static Record record(String payload) {
        return Record.newBuilder().setPayload(ByteString.copyFromUtf8(payload)).build();
    }

    static ReadRequest.Builder readFrom(String stream, long offset) {
        return ReadRequest.newBuilder()
                .setStream(stream)
                .setFrom(Position.newBuilder().setOffset(offset));
    }

    static List<String> payloads(List<ReadResponse> responses) {
        return responses.stream()
                .flatMap(response -> response.getRecordsList().stream())
                .map(Calls::payload)
                .toList();
    }

    static String payload(StoredRecord record) {
        return record.getRecord().getPayload().toStringUtf8();
    }

    static StatusRuntimeException failure(ThrowingCallable call) {
        StatusRuntimeException failure = catchThrowableOfType(StatusRuntimeException.class, call);
        assertThat(failure).as("the call succeeded").isNotNull();
        return failure;
    }

    static ErrorDetail detail(ThrowingCallable call) {
        return detail(failure(call));
    }

    static ErrorDetail detail(StatusRuntimeException failure) {
        return Errors.detail(failure).orElseThrow(() -> new AssertionError("an error without detail", failure));
    }

    static ErrorReason reason(ThrowingCallable call) {
        return detail(call).getReason();
    }

    /** Waits for what other threads do. */
    static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("waiting for: " + what).isLessThan(end);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }
}
