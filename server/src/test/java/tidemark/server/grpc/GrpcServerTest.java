package tidemark.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static tidemark.server.grpc.Calls.append;
import static tidemark.server.grpc.Calls.detail;
import static tidemark.server.grpc.Calls.readFrom;
import static tidemark.server.grpc.Calls.reason;

import io.grpc.ManagedChannel;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.reflection.v1.ServiceResponse;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tidemark.v1.AppendRequest;
import tidemark.v1.AppendResponse;
import tidemark.v1.AppendSessionRequest;
import tidemark.v1.AppendSessionResponse;
import tidemark.v1.ErrorReason;
import tidemark.v1.ReadRequest;
import tidemark.v1.ReadResponse;

/** The client port as a whole: its life, health, reflection, and what strangers send. */
class GrpcServerTest {
    private final FakeCluster cluster = new FakeCluster(1);
    private final FakeCluster.Node node = cluster.node(1);

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void aTakenPortIsSaidSo() {
        GrpcServer second = server(node.server.port());

        assertThatThrownBy(second::start)
                .isInstanceOf(PortInUseException.class)
                .hasMessageContaining("127.0.0.1:" + node.server.port())
                .hasMessageContaining("in use");
        second.close();
    }

    @Test
    void beforeItServesCallsAreRefusedAsUnavailable() throws IOException {
        GrpcServer starting = server(0);
        starting.start();
        ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", starting.port())
                .usePlaintext()
                .build();
        try {
            assertThat(health(channel, "")).isEqualTo(ServingStatus.NOT_SERVING);
            io.grpc.StatusRuntimeException refused = Calls.failure(
                    () -> tidemark.v1.LogServiceGrpc.newBlockingStub(channel).append(append("orders", "a")));
            assertThat(detail(refused).getReason()).isEqualTo(ErrorReason.ERROR_REASON_NO_LEADER);
            assertThat(refused.getStatus().getDescription()).contains("starting");
        } finally {
            channel.shutdownNow();
            starting.close();
        }
    }

    @Test
    void healthFollowsWhatIsWrong() {
        for (String service : new String[] {"", "tidemark.v1.LogService", "tidemark.v1.AdminService"}) {
            assertThat(health(node.channel, service)).isEqualTo(ServingStatus.SERVING);
        }

        node.problems.add("the journal of a group failed");
        Calls.await("health to be bad", () -> health(node.channel, "") == ServingStatus.NOT_SERVING);
        node.problems.clear();
        Calls.await("health to be good", () -> health(node.channel, "tidemark.v1.LogService") == ServingStatus.SERVING);
    }

    @Test
    void reflectionTellsTheServicesAndTheirFiles() {
        Observed<ServerReflectionRequest, ServerReflectionResponse> responses = Observed.all();
        StreamObserver<ServerReflectionRequest> requests =
                ServerReflectionGrpc.newStub(node.channel).serverReflectionInfo(responses);
        requests.onNext(ServerReflectionRequest.newBuilder().setListServices("").build());
        assertThat(responses.next().getListServicesResponse().getServiceList())
                .extracting(ServiceResponse::getName)
                .contains("tidemark.v1.LogService", "tidemark.v1.AdminService", "grpc.health.v1.Health");

        requests.onNext(ServerReflectionRequest.newBuilder()
                .setFileContainingSymbol("tidemark.v1.LogService")
                .build());
        assertThat(responses.next().getFileDescriptorResponse().getFileDescriptorProtoCount())
                .isPositive();
        requests.onCompleted();
    }

    /** Tools in use still ask for the older version. */
    @SuppressWarnings("deprecation")
    @Test
    void reflectionAnswersInItsOldVersionToo() {
        Observed<
                        io.grpc.reflection.v1alpha.ServerReflectionRequest,
                        io.grpc.reflection.v1alpha.ServerReflectionResponse>
                responses = Observed.all();
        StreamObserver<io.grpc.reflection.v1alpha.ServerReflectionRequest> requests =
                io.grpc.reflection.v1alpha.ServerReflectionGrpc.newStub(node.channel)
                        .serverReflectionInfo(responses);
        requests.onNext(io.grpc.reflection.v1alpha.ServerReflectionRequest.newBuilder()
                .setFileContainingSymbol("tidemark.v1.AdminService")
                .build());

        assertThat(responses.next().getFileDescriptorResponse().getFileDescriptorProtoCount())
                .isPositive();
        requests.onCompleted();
    }

    @Test
    void everyMethodOfTheContractIsServed() {
        for (io.grpc.ServiceDescriptor service : java.util.List.of(
                tidemark.v1.LogServiceGrpc.getServiceDescriptor(),
                tidemark.v1.AdminServiceGrpc.getServiceDescriptor(),
                tidemark.peer.proto.PeerServiceGrpc.getServiceDescriptor())) {
            for (io.grpc.MethodDescriptor<?, ?> method : service.getMethods()) {
                Observed<byte[], byte[]> responses = Observed.all();
                StreamObserver<byte[]> requests = io.grpc.stub.ClientCalls.asyncBidiStreamingCall(
                        node.channel.newCall(
                                RoutedMethod.wire(method).toBuilder()
                                        .setType(io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
                                        .build(),
                                io.grpc.CallOptions.DEFAULT),
                        responses);
                // Field 1 with the wire type of a group's end: no message of any kind.
                requests.onNext(new byte[] {0x0c});
                requests.onCompleted();

                assertThat(detail(responses.failure()).getReason())
                        .as(method.getFullMethodName())
                        .isEqualTo(ErrorReason.ERROR_REASON_INVALID_FIELD);
            }
        }
    }

    @Test
    void strangersOnThePortDoNoHarm() throws IOException {
        cluster.create("orders");
        Random random = new Random(42);
        for (int i = 0; i < 20; i++) {
            try (Socket socket = new Socket(java.net.InetAddress.getLoopbackAddress(), node.server.port())) {
                byte[] junk = new byte[5_000];
                random.nextBytes(junk);
                OutputStream out = socket.getOutputStream();
                out.write(
                        i % 2 == 0
                                ? junk
                                : "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
                                        .getBytes(java.nio.charset.StandardCharsets.UTF_8));
                out.flush();
            } catch (java.net.SocketException cutOff) {
                // The server may close while we are still writing.
                assertThat(cutOff).hasMessageNotContaining("refused");
            }
        }

        assertThat(node.log().append(append("orders", "a")).getEndOffset()).isEqualTo(1);
    }

    /** Beyond what the network layer reads at all, there is no typed error, but a clear text, and the server goes on. */
    @Test
    void aMessageFarOverTheLimitIsCutOff() {
        cluster.create("orders");

        io.grpc.StatusRuntimeException failed =
                Calls.failure(() -> node.log().append(append("orders", "x".repeat(5 << 20))));

        assertThat(failed.getStatus().getCode()).isEqualTo(io.grpc.Status.Code.RESOURCE_EXHAUSTED);
        assertThat(failed.getStatus().getDescription()).contains("exceeds maximum size 4194304");
        assertThat(node.log().append(append("orders", "a")).getEndOffset()).isEqualTo(1);
    }

    @Test
    void stoppingLetsAppendsInFlightFinish() {
        FakeLog log = cluster.create("orders");
        log.hold();
        Observed<AppendRequest, AppendResponse> unary = Observed.all();
        node.asyncLog().append(append("orders", "unary"), unary);
        Observed<AppendSessionRequest, AppendSessionResponse> responses = Observed.all();
        StreamObserver<AppendSessionRequest> session = node.asyncLog().appendSession(responses);
        session.onNext(AppendSessionRequest.newBuilder()
                .setOpen(AppendSessionRequest.Open.newBuilder().setStream("orders"))
                .build());
        session.onNext(AppendSessionRequest.newBuilder()
                .setAppend(AppendSessionRequest.Append.newBuilder().addAllRecords(Calls.records("session")))
                .build());
        Calls.await("both to be proposed", () -> log.heldEntries() == 2);

        CompletableFuture<Void> stopped = CompletableFuture.runAsync(() -> node.server.stop(Duration.ofSeconds(20)));
        Calls.await("new calls to be refused", () -> refusedAsStopping());
        assertThat(stopped).isNotDone();
        log.release();

        assertThat(unary.next().getEndOffset()).isPositive();
        assertThat(responses.next().getAppended().getEndOffset()).isPositive();
        assertThat(detail(responses.failure()).getReason()).isEqualTo(ErrorReason.ERROR_REASON_SHUTTING_DOWN);
        assertThat(stopped).succeedsWithin(20, TimeUnit.SECONDS);
        assertThat(cluster.stored("orders").endOffset()).isEqualTo(2);
    }

    private boolean refusedAsStopping() {
        return reason(() -> node.log().withDeadlineAfter(5, TimeUnit.SECONDS).append(append("nothing", "a")))
                == ErrorReason.ERROR_REASON_SHUTTING_DOWN;
    }

    @Test
    void stoppingEndsFollowingReads() {
        cluster.create("orders");
        Observed<ReadRequest, ReadResponse> read = Observed.all();
        node.asyncLog().read(readFrom("orders", 0).setFollow(true).build(), read);
        read.next();

        node.server.stop(Duration.ofSeconds(20));

        assertThat(detail(read.failure()).getReason()).isEqualTo(ErrorReason.ERROR_REASON_SHUTTING_DOWN);
    }

    @Test
    void stoppingDoesNotWaitForEver() {
        FakeLog log = cluster.create("orders");
        log.hold();
        Observed<AppendRequest, AppendResponse> call = Observed.all();
        node.asyncLog().append(append("orders", "a"), call);
        Calls.await("it to be proposed", () -> log.heldEntries() == 1);

        node.server.stop(Duration.ofMillis(50));

        // Not from the server any more, which means: unknown.
        assertThat(Errors.detail(call.failure())).isEmpty();
    }

    private GrpcServer server(int port) {
        return new GrpcServer(
                GrpcSettings.at("127.0.0.1", port),
                new ServerIdentity("test", FakeCluster.CLUSTER_ID, "s9", "1.2.3"),
                new PeerChannels(id -> Optional.empty()),
                RpcMetrics.NONE,
                cluster.time);
    }

    private static ServingStatus health(ManagedChannel channel, String service) {
        return HealthGrpc.newBlockingStub(channel)
                .check(HealthCheckRequest.newBuilder().setService(service).build())
                .getStatus();
    }
}
