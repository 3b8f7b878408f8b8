package tidemark.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static tidemark.server.grpc.Calls.append;
import static tidemark.server.grpc.Calls.detail;
import static tidemark.server.grpc.Calls.failure;
import static tidemark.server.grpc.Calls.payload;
import static tidemark.server.grpc.Calls.payloads;
import static tidemark.server.grpc.Calls.readFrom;
import static tidemark.server.grpc.Calls.records;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tidemark.server.raft.ProposalException.Kind;
import tidemark.v1.AppendRequest;
import tidemark.v1.AppendResponse;
import tidemark.v1.AppendSessionRequest;
import tidemark.v1.AppendSessionResponse;
import tidemark.v1.Effect;
import tidemark.v1.ErrorDetail;
import tidemark.v1.ErrorReason;
import tidemark.v1.GetTailRequest;
import tidemark.v1.Position;
import tidemark.v1.ReadMode;
import tidemark.v1.ReadRequest;
import tidemark.v1.ReadResponse;

/** Calls to servers that do not lead: three servers, the stream "orders" on all of them, led by s1 at first. */
class ForwardingTest {
    private final FakeCluster cluster = new FakeCluster(3);
    private FakeLog log;

    @BeforeEach
    void createStream() {
        log = cluster.create("orders");
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void anyServerTakesAnyCall() {
        for (int server = 1; server <= 3; server++) {
            FakeCluster.Node node = cluster.node(server);
            AppendResponse appended = node.log().append(append("orders", "from " + server));

            assertThat(appended.getEndOffset()).isEqualTo(server);
            assertThat(node.log()
                            .getTail(GetTailRequest.newBuilder()
                                    .setStream("orders")
                                    .build())
                            .getServerId())
                    .isEqualTo("s1");
            assertThat(payload(node.log()
                            .read(readFrom("orders", server - 1).build())
                            .next()
                            .getRecords(0)))
                    .isEqualTo("from " + server);
        }
    }

    @Test
    void aServerWithoutReplicaFindsTheLeader() {
        try (FakeCluster larger = new FakeCluster(4)) {
            larger.create("wide", 3).lead("s3");

            assertThat(larger.node(4).log().append(append("wide", "a")).getEndOffset())
                    .isEqualTo(1);
            larger.log("wide").lead("s2");
            assertThat(larger.node(4).log().append(append("wide", "b")).getEndOffset())
                    .isEqualTo(2);
            GetTailRequest any = GetTailRequest.newBuilder()
                    .setStream("wide")
                    .setMode(ReadMode.READ_MODE_ANY)
                    .build();
            assertThat(larger.node(4).log().getTail(any).getEndOffset()).isEqualTo(2);
        }
    }

    @Test
    void aReadFromAnyReplicaIsServedByTheServerThatIsAsked() {
        GetTailRequest any = GetTailRequest.newBuilder()
                .setStream("orders")
                .setMode(ReadMode.READ_MODE_ANY)
                .build();

        assertThat(cluster.node(3).log().getTail(any).getServerId()).isEqualTo("s3");
    }

    @Test
    void aClientThatWantsToKnowIsToldTheLeader() {
        ErrorDetail detail = detail(() -> cluster.node(2)
                .log()
                .withInterceptors(FakeCluster.with("tidemark-no-forward", "1"))
                .append(append("orders", "a")));

        assertThat(detail.getReason()).isEqualTo(ErrorReason.ERROR_REASON_NOT_LEADER);
        assertThat(detail.getEffect()).isEqualTo(Effect.EFFECT_NONE);
        assertThat(detail.getLeaderHint().getServerId()).isEqualTo("s1");
        assertThat(detail.getLeaderHint().getEndpoint())
                .isEqualTo("127.0.0.1:" + cluster.node(1).server.port());
        assertThat(cluster.stored("orders").endOffset()).isZero();
    }

    @Test
    void aClientThatWantsToKnowIsToldAtOnceThatThereIsNoLeader() {
        log.noLeader();

        ErrorDetail detail = detail(() -> cluster.node(2)
                .log()
                .withInterceptors(FakeCluster.with("tidemark-no-forward", "1"))
                .append(append("orders", "a")));

        assertThat(detail.getReason()).isIn(ErrorReason.ERROR_REASON_NO_LEADER, ErrorReason.ERROR_REASON_NOT_LEADER);
    }

    @Test
    void malformedMetadataIsRefused() {
        for (String key : List.of("tidemark-no-forward", "tidemark-hops")) {
            ErrorDetail detail = detail(() -> cluster.node(2)
                    .log()
                    .withInterceptors(FakeCluster.with(key, "many"))
                    .append(append("orders", "a")));
            assertThat(detail.getReason()).isEqualTo(ErrorReason.ERROR_REASON_INVALID_FIELD);
            assertThat(detail.getInvalidField().getField()).contains(key);
        }
    }

    @Test
    void aCallThatHasHoppedThreeTimesIsHandedOnNoMore() {
        AppendRequest request = append("orders", "a");
        assertThat(cluster.node(2)
                        .log()
                        .withInterceptors(FakeCluster.with("tidemark-hops", "2"))
                        .append(request)
                        .getEndOffset())
                .isEqualTo(1);

        ErrorDetail detail = detail(() -> cluster.node(2)
                .log()
                .withInterceptors(FakeCluster.with("tidemark-hops", "3"))
                .append(request));

        assertThat(detail.getReason()).isEqualTo(ErrorReason.ERROR_REASON_NOT_LEADER);
        assertThat(detail.getLeaderHint().getServerId()).isEqualTo("s1");
        assertThat(cluster.stored("orders").endOffset()).isEqualTo(1);
    }

    @Test
    void aStreamThatACopyOfTheCatalogDoesNotKnowYetIsFound() {
        cluster.node(3).catalog.lagBehind("orders");

        assertThat(cluster.node(3).log().append(append("orders", "a")).getEndOffset())
                .isEqualTo(1);
        log.lead("s2");
        assertThat(cluster.node(3).log().append(append("orders", "b")).getEndOffset())
                .isEqualTo(2);
        assertThat(detail(() -> cluster.node(3).log().append(append("nothing", "b")))
                        .getReason())
                .isEqualTo(ErrorReason.ERROR_REASON_STREAM_NOT_FOUND);
    }

    @Test
    void errorsComeBackAsTheLeaderMadeThem() {
        ErrorDetail conflict = detail(() -> cluster.node(2)
                .log()
                .append(append("orders", "a").toBuilder().setExpectedEnd(9).build()));
        assertThat(conflict.getReason()).isEqualTo(ErrorReason.ERROR_REASON_END_CONFLICT);
        assertThat(conflict.getEndConflict().getExpectedEnd()).isEqualTo(9);

        log.failWith(Kind.INDETERMINATE);
        ErrorDetail lost = detail(() -> cluster.node(2).log().append(append("orders", "a")));
        assertThat(lost.getReason()).isEqualTo(ErrorReason.ERROR_REASON_INDETERMINATE);
        assertThat(lost.getEffect()).isEqualTo(Effect.EFFECT_INDETERMINATE);
    }

    @Test
    void aLeaderThatRefusesIsFollowedToTheNextOne() {
        log.noLeader();
        Observed<AppendRequest, AppendResponse> call = Observed.all();
        cluster.node(3).asyncLog().append(append("orders", "a"), call);
        Calls.await("the call to arrive", () -> cluster.node(3).server.openCalls() == 1);

        log.lead("s2");

        assertThat(call.next().getEndOffset()).isEqualTo(1);
    }

    @Test
    void aServerThatIsNotReachableHasWrittenNothing() {
        cluster.node(1).server.close();

        ErrorDetail detail = detail(() -> cluster.node(2)
                .log()
                .withDeadlineAfter(1_500, TimeUnit.MILLISECONDS)
                .append(append("orders", "a")));

        assertThat(detail.getReason()).isEqualTo(ErrorReason.ERROR_REASON_NO_LEADER);
        assertThat(detail.getEffect()).isEqualTo(Effect.EFFECT_NONE);
    }

    @Test
    void aWriteWhoseServerDiesAfterItWasSentIsIndeterminate() {
        log.hold();
        Observed<AppendRequest, AppendResponse> call = Observed.all();
        cluster.node(2).asyncLog().append(append("orders", "a"), call);
        Calls.await("the append to be proposed", () -> log.heldEntries() == 1);

        cluster.node(1).server.close();

        io.grpc.StatusRuntimeException failed = call.failure();
        assertThat(failed.getStatus().getCode()).isEqualTo(Status.Code.UNKNOWN);
        assertThat(detail(failed).getReason()).isEqualTo(ErrorReason.ERROR_REASON_INDETERMINATE);
        assertThat(detail(failed).getEffect()).isEqualTo(Effect.EFFECT_INDETERMINATE);
    }

    @Test
    void aWholeSessionIsForwarded() {
        Observed<AppendSessionRequest, AppendSessionResponse> responses = Observed.all();
        StreamObserver<AppendSessionRequest> session =
                cluster.node(2).asyncLog().appendSession(responses);
        session.onNext(open());
        for (int i = 0; i < 300; i++) {
            session.onNext(sessionAppend("record " + i));
        }
        session.onCompleted();

        assertThat(responses.rest().stream()
                        .map(response -> response.getAppended().getBaseOffset()))
                .containsExactlyElementsOf(LongStream.range(0, 300).boxed().toList());
    }

    @Test
    void aForwardedSessionFindsItsLeaderBeforeItSendsAnything() {
        log.noLeader();
        Observed<AppendSessionRequest, AppendSessionResponse> responses = Observed.all();
        StreamObserver<AppendSessionRequest> session =
                cluster.node(3).asyncLog().appendSession(responses);
        session.onNext(open());
        session.onNext(sessionAppend("a"));
        session.onCompleted();
        Calls.await("the call to arrive", () -> cluster.node(3).server.openCalls() == 1);

        log.lead("s2");

        assertThat(responses.rest()).hasSize(1);
        assertThat(cluster.stored("orders").endOffset()).isEqualTo(1);
    }

    @Test
    void aForwardedSessionWithUnansweredAppendsIsIndeterminateWhenItsServerDies() {
        log.hold();
        Observed<AppendSessionRequest, AppendSessionResponse> responses = Observed.all();
        StreamObserver<AppendSessionRequest> session =
                cluster.node(2).asyncLog().appendSession(responses);
        session.onNext(open());
        session.onNext(sessionAppend("a"));
        Calls.await("the append to be proposed", () -> log.heldEntries() == 1);

        cluster.node(1).server.close();

        assertThat(detail(responses.failure()).getEffect()).isEqualTo(Effect.EFFECT_INDETERMINATE);
    }

    @Test
    void aForwardedSessionThatWasAnsweredInFullFailsDefinitelyWhenItsServerDies() {
        Observed<AppendSessionRequest, AppendSessionResponse> responses = Observed.all();
        StreamObserver<AppendSessionRequest> session =
                cluster.node(2).asyncLog().appendSession(responses);
        session.onNext(open());
        session.onNext(sessionAppend("a"));
        responses.next();

        cluster.node(1).server.close();

        assertThat(detail(responses.failure()).getEffect()).isEqualTo(Effect.EFFECT_NONE);
    }

    @Test
    void cancellingAForwardedCallCancelsItWhereItIsServed() {
        Observed<ReadRequest, ReadResponse> read = Observed.all();
        cluster.node(2).asyncLog().read(readFrom("orders", 0).setFollow(true).build(), read);
        assertThat(read.next().getCaughtUp()).isTrue();
        assertThat(cluster.node(1).stored.open.get()).isEqualTo(1);

        read.cancel();

        Calls.await("the read to end", () -> cluster.node(1).stored.open.get() == 0);
        Calls.await(
                "the calls to end",
                () -> cluster.node(1).server.openCalls()
                                + cluster.node(2).server.openCalls()
                        == 0);
    }

    @Test
    void theDeadlineReachesTheServerThatServes() {
        log.hold();
        Status status = failure(() -> cluster.node(2)
                        .log()
                        .withDeadlineAfter(500, TimeUnit.MILLISECONDS)
                        .append(append("orders", "a")))
                .getStatus();

        assertThat(status.getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
        Calls.await(
                "the calls to end",
                () -> cluster.node(1).server.openCalls()
                                + cluster.node(2).server.openCalls()
                        == 0);
    }

    @Test
    void aForwardedReaderGetsAllInOrderHoweverSlowItIs() {
        String large = "x".repeat(200_000);
        for (int i = 0; i < 40; i++) {
            cluster.node(1).log().append(append("orders", large + i));
        }
        Observed<ReadRequest, ReadResponse> read = Observed.onRequest();
        cluster.node(3).asyncLog().read(readFrom("orders", 0).build(), read);
        read.request(1);
        List<ReadResponse> all = new ArrayList<>(List.of(read.next()));
        assertThat(cluster.node(1).stored.reads.get()).as("read ahead").isLessThan(35);

        read.request(100);
        all.addAll(read.rest());

        assertThat(payloads(all))
                .containsExactlyElementsOf(
                        IntStream.range(0, 40).mapToObj(i -> large + i).toList());
    }

    @Test
    void aReadWhoseServerDiesFailsAsUnavailable() {
        Observed<ReadRequest, ReadResponse> read = Observed.all();
        cluster.node(2).asyncLog().read(readFrom("orders", 0).setFollow(true).build(), read);
        read.next();

        cluster.node(1).close();

        io.grpc.StatusRuntimeException failed = read.failure();
        assertThat(failed.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    }

    @Test
    void truncationAndOtherWritesAreForwardedToo() {
        cluster.node(2).log().append(append("orders", "a", "b"));

        assertThat(cluster.node(3)
                        .log()
                        .truncate(tidemark.v1.TruncateRequest.newBuilder()
                                .setStream("orders")
                                .setBefore(Position.newBuilder().setOffset(1))
                                .build())
                        .getStartOffset())
                .isEqualTo(1);
    }

    private static AppendSessionRequest open() {
        return AppendSessionRequest.newBuilder()
                .setOpen(AppendSessionRequest.Open.newBuilder().setStream("orders"))
                .build();
    }

    private static AppendSessionRequest sessionAppend(String... payloads) {
        return AppendSessionRequest.newBuilder()
                .setAppend(AppendSessionRequest.Append.newBuilder().addAllRecords(records(payloads)))
                .build();
    }
}
