package tidemark.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tidemark.chaos.process.ClusterProcesses;
import tidemark.chaos.process.Distribution;
import tidemark.v1.AdminServiceGrpc;
import tidemark.v1.AppendRequest;
import tidemark.v1.CreateStreamRequest;
import tidemark.v1.DeleteStreamRequest;
import tidemark.v1.ErrorDetail;
import tidemark.v1.ErrorReason;
import tidemark.v1.GetTailRequest;
import tidemark.v1.ListStreamsRequest;
import tidemark.v1.LogServiceGrpc;
import tidemark.v1.Position;
import tidemark.v1.ReadRequest;
import tidemark.v1.ReadResponse;
import tidemark.v1.Record;
import tidemark.v1.SealStreamRequest;
import tidemark.v1.StreamSettings;
import tidemark.v1.TruncateRequest;

/**
 * Whatever a client sends, it gets a typed error that says what is wrong, and the server goes on as if nothing had happened: after each
 * case another client appends and reads back.
 */
class BadInputTest {
    private static final String STREAM = "bad/input";
    private static final int RECORD_BYTES_MAX = 1_000_000;

    @TempDir
    private static Path directory;

    private static ClusterProcesses cluster;
    private static ManagedChannel channel;
    private static LogServiceGrpc.LogServiceBlockingStub log;
    private static AdminServiceGrpc.AdminServiceBlockingStub admin;

    @BeforeAll
    static void startServer() throws Exception {
        cluster = new ClusterProcesses(Distribution.built(), 1, directory);
        cluster.startAll();
        channel = ManagedChannelBuilder.forTarget(cluster.endpoint("n1"))
                .usePlaintext()
                .build();
        log = LogServiceGrpc.newBlockingStub(channel);
        admin = AdminServiceGrpc.newBlockingStub(channel);
        Await.until("the server takes calls", () -> {
            admin().createStream(
                            CreateStreamRequest.newBuilder().setName(STREAM).build());
            return true;
        });
        append("first");
    }

    @AfterAll
    static void stopServer() throws Exception {
        channel.shutdownNow();
        int exit = cluster.server("n1").stop();
        cluster.close();
        assertThat(exit).as("exit code of a drained server").isZero();
    }

    @AfterEach
    void theServerIsUnharmed() {
        long offset = append("canary");
        ReadResponse back = log().read(ReadRequest.newBuilder()
                        .setStream(STREAM)
                        .setFrom(Position.newBuilder().setOffset(offset))
                        .build())
                .next();
        assertThat(back.getRecords(0).getRecord().getPayload()).isEqualTo(ByteString.copyFromUtf8("canary"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "../x",
                "/etc/passwd",
                "a/../b",
                ".",
                "a//b",
                "a/",
                "a b",
                "a\u0000b",
                "a\r\nb",
                "%2e%2e",
                "-a",
                "\u0430bc"
            })
    void badNamesAreRefusedEverywhere(String name) {
        expect(
                Status.Code.INVALID_ARGUMENT,
                ErrorReason.ERROR_REASON_INVALID_FIELD,
                () -> admin().createStream(
                                CreateStreamRequest.newBuilder().setName(name).build()));
        expect(
                Status.Code.INVALID_ARGUMENT,
                ErrorReason.ERROR_REASON_INVALID_FIELD,
                () -> log().append(AppendRequest.newBuilder()
                        .setStream(name)
                        .addRecords(record("x"))
                        .build()));
        expect(
                Status.Code.INVALID_ARGUMENT,
                ErrorReason.ERROR_REASON_INVALID_FIELD,
                () -> log().read(ReadRequest.newBuilder().setStream(name).build())
                        .next());
    }

    @Test
    void anOverLongNameIsRefusedAndTheLongestOneWorks() {
        expect(
                Status.Code.INVALID_ARGUMENT,
                () -> admin().createStream(CreateStreamRequest.newBuilder()
                        .setName("x".repeat(256))
                        .build()));
        String longest = "x".repeat(255);
        assertThat(admin().createStream(CreateStreamRequest.newBuilder()
                                .setName(longest)
                                .build())
                        .getStream()
                        .getName())
                .isEqualTo(longest);
        admin().deleteStream(DeleteStreamRequest.newBuilder().setName(longest).build());
    }

    static Stream<Arguments> unknownStreamCalls() {
        return Stream.of(
                call(
                        "append",
                        () -> log().append(AppendRequest.newBuilder()
                                .setStream("no/such")
                                .addRecords(record("x"))
                                .build())),
                call(
                        "read",
                        () -> log().read(ReadRequest.newBuilder()
                                        .setStream("no/such")
                                        .build())
                                .next()),
                call(
                        "tail",
                        () -> log().getTail(GetTailRequest.newBuilder()
                                .setStream("no/such")
                                .build())),
                call(
                        "truncate",
                        () -> log().truncate(TruncateRequest.newBuilder()
                                .setStream("no/such")
                                .setBefore(offset(0))
                                .build())),
                call(
                        "delete",
                        () -> admin().deleteStream(DeleteStreamRequest.newBuilder()
                                .setName("no/such")
                                .build())),
                call(
                        "seal",
                        () -> admin().sealStream(SealStreamRequest.newBuilder()
                                .setName("no/such")
                                .build())));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("unknownStreamCalls")
    void anUnknownStreamIsNotFound(String name, Runnable call) {
        expect(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_STREAM_NOT_FOUND, call);
    }

    static Stream<Arguments> badFields() {
        return Stream.of(
                call(
                        "append of nothing",
                        () -> log().append(AppendRequest.newBuilder()
                                .setStream(STREAM)
                                .build())),
                call("negative read offset", () -> read(offset(-1))),
                call(
                        "negative last",
                        () -> read(Position.newBuilder().setLast(-1).build())),
                call("position without a place", () -> read(Position.getDefaultInstance())),
                call(
                        "zero records",
                        () -> log().read(ReadRequest.newBuilder()
                                        .setStream(STREAM)
                                        .setMaxRecords(0)
                                        .build())
                                .next()),
                call(
                        "negative expected end",
                        () -> log().append(AppendRequest.newBuilder()
                                .setStream(STREAM)
                                .addRecords(record("x"))
                                .setExpectedEnd(-1)
                                .build())),
                call(
                        "truncate nowhere",
                        () -> log().truncate(TruncateRequest.newBuilder()
                                .setStream(STREAM)
                                .build())),
                call(
                        "negative truncation",
                        () -> log().truncate(TruncateRequest.newBuilder()
                                .setStream(STREAM)
                                .setBefore(offset(-5))
                                .build())),
                call(
                        "even replicas",
                        () -> createWith(
                                StreamSettings.newBuilder().setReplicas(2).build())),
                call(
                        "negative record limit",
                        () -> createWith(StreamSettings.newBuilder()
                                .setMaxRecordBytes(-1)
                                .build())),
                call(
                        "huge page",
                        () -> admin().listStreams(ListStreamsRequest.newBuilder()
                                .setPageSize(1_001)
                                .build())),
                call(
                        "made-up page token",
                        () -> admin().listStreams(ListStreamsRequest.newBuilder()
                                .setPageToken("\u0001!")
                                .build())));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("badFields")
    void aFieldOutOfItsRangeIsNamed(String name, Runnable call) {
        ErrorDetail detail = expect(Status.Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, call);
        assertThat(detail.getInvalidField().getField()).as("field").isNotEmpty();
        assertThat(detail.getInvalidField().getProblem()).as("problem").isNotEmpty();
    }

    @Test
    void anEmptyRecordIsARecord() {
        long offset = append("");
        assertThat(read(offset(offset)).getRecords(0).getRecord().getPayload()).isEqualTo(ByteString.EMPTY);
    }

    @Test
    void recordsUpToTheLimitAreTakenAndOneByteMoreIsRefused() {
        AppendRequest largest = AppendRequest.newBuilder()
                .setStream(STREAM)
                .addRecords(Record.newBuilder().setPayload(ByteString.copyFrom(new byte[RECORD_BYTES_MAX])))
                .build();
        assertThat(log().append(largest).getEndOffset()).isPositive();

        ErrorDetail detail = expect(
                Status.Code.INVALID_ARGUMENT,
                ErrorReason.ERROR_REASON_TOO_LARGE,
                () -> log().append(AppendRequest.newBuilder()
                        .setStream(STREAM)
                        .addRecords(Record.newBuilder().setPayload(ByteString.copyFrom(new byte[RECORD_BYTES_MAX + 1])))
                        .build()));
        assertThat(detail.getLimitExceeded().getLimit()).isEqualTo(RECORD_BYTES_MAX);
        assertThat(detail.getLimitExceeded().getActual()).isEqualTo(RECORD_BYTES_MAX + 1);
    }

    @Test
    void messagesBeyondTheTransportLimitAreRefused() {
        AppendRequest huge = AppendRequest.newBuilder()
                .setStream(STREAM)
                .addRecords(Record.newBuilder().setPayload(ByteString.copyFrom(new byte[64 << 20])))
                .build();
        StatusRuntimeException error = catchThrowableOfType(StatusRuntimeException.class, () -> log().append(huge));
        assertThat(error.getStatus().getCode())
                .isIn(Status.Code.RESOURCE_EXHAUSTED, Status.Code.INVALID_ARGUMENT, Status.Code.CANCELLED);
    }

    @Test
    void aFarOffsetTellsTheReadableRange() {
        ErrorDetail detail = expect(
                Status.Code.OUT_OF_RANGE,
                ErrorReason.ERROR_REASON_OFFSET_BEYOND_END,
                () -> read(offset(Long.MAX_VALUE)));
        assertThat(detail.getOffsetOutOfRange().getEndOffset()).isPositive();
        assertThat(detail.getOffsetOutOfRange().getRequestedOffset()).isEqualTo(Long.MAX_VALUE);
        expect(
                Status.Code.OUT_OF_RANGE,
                ErrorReason.ERROR_REASON_OFFSET_BEYOND_END,
                () -> log().truncate(TruncateRequest.newBuilder()
                        .setStream(STREAM)
                        .setBefore(offset(Long.MAX_VALUE))
                        .build()));
    }

    @Test
    void aWriteWithAFieldTheServerDoesNotKnowIsRefused() {
        AppendRequest fromTheFuture = AppendRequest.newBuilder()
                .setStream(STREAM)
                .addRecords(record("x"))
                .setUnknownFields(UnknownFieldSet.newBuilder()
                        .addField(
                                1_000,
                                UnknownFieldSet.Field.newBuilder().addVarint(1).build())
                        .build())
                .build();
        expect(Status.Code.UNIMPLEMENTED, ErrorReason.ERROR_REASON_UNKNOWN_FIELD, () -> log().append(fromTheFuture));
    }

    @Test
    void randomBytesOnEveryPortDoNoHarm() throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int port : List.of(cluster.clientPort("n1"), cluster.raftPort("n1"))) {
            for (int round = 0; round < 20; round++) {
                byte[] junk = new byte[1 + random.nextInt(10_000)];
                random.nextBytes(junk);
                sendAndHangUp(port, junk);
            }
            sendAndHangUp(port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.UTF_8));
            sendAndHangUp(port, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.UTF_8));
        }
        assertThat(cluster.server("n1").isAlive())
                .as("alive after junk, seed %d", seed)
                .isTrue();
    }

    private static void sendAndHangUp(int port, byte[] bytes) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                OutputStream out = socket.getOutputStream()) {
            out.write(bytes);
        } catch (java.net.SocketException hungUp) {
            // The server may hang up first: that is an answer too.
            assertThat(hungUp).hasMessageMatching("(?i).*(broken pipe|reset|closed).*");
        }
    }

    private static long append(String payload) {
        return log().append(AppendRequest.newBuilder()
                        .setStream(STREAM)
                        .addRecords(record(payload))
                        .build())
                .getBaseOffset();
    }

    private static ReadResponse read(Position from) {
        return log().read(
                        ReadRequest.newBuilder().setStream(STREAM).setFrom(from).build())
                .next();
    }

    private static void createWith(StreamSettings settings) {
        admin().createStream(CreateStreamRequest.newBuilder()
                .setName("never")
                .setSettings(settings)
                .build());
    }

    private static Record record(String payload) {
        return Record.newBuilder().setPayload(ByteString.copyFromUtf8(payload)).build();
    }

    private static Position offset(long offset) {
        return Position.newBuilder().setOffset(offset).build();
    }

    private static Arguments call(String name, Runnable call) {
        return Arguments.of(name, call);
    }

    private static ErrorDetail expect(Status.Code code, ErrorReason reason, Runnable call) {
        ErrorDetail detail = expect(code, call);
        assertThat(detail.getReason()).isEqualTo(reason);
        return detail;
    }

    private static ErrorDetail expect(Status.Code code, Runnable call) {
        StatusRuntimeException error = catchThrowableOfType(StatusRuntimeException.class, call::run);
        assertThat(error).as("error").isNotNull();
        assertThat(error.getStatus().getCode()).as(error.toString()).isEqualTo(code);
        assertThat(error.getStatus().getDescription()).as("message").isNotBlank();
        return detail(error);
    }

    private static ErrorDetail detail(StatusRuntimeException error) {
        com.google.rpc.Status status = StatusProto.fromThrowable(error);
        assertThat(status.getDetailsCount()).as("details of %s", error).isPositive();
        try {
            return status.getDetails(0).unpack(ErrorDetail.class);
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError("the first detail is no ErrorDetail: " + status, e);
        }
    }

    private static LogServiceGrpc.LogServiceBlockingStub log() {
        return log.withDeadlineAfter(30, TimeUnit.SECONDS);
    }

    private static AdminServiceGrpc.AdminServiceBlockingStub admin() {
        return admin.withDeadlineAfter(30, TimeUnit.SECONDS);
    }
}
