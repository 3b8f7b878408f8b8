package tidemark.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static tidemark.server.grpc.Calls.detail;
import static tidemark.server.grpc.Calls.records;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.grpc.stub.CallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tidemark.server.raft.ProposalException.Kind;
import tidemark.statemachine.env.StorageException;
import tidemark.v1.AppendSessionRequest;
import tidemark.v1.AppendSessionResponse;
import tidemark.v1.Effect;
import tidemark.v1.ErrorDetail;
import tidemark.v1.ErrorReason;
import tidemark.v1.Record;

/** Append sessions, served by the server that is asked. */
class AppendSessionTest {
    private final FakeCluster cluster = new FakeCluster(1);
    private final FakeCluster.Node node = cluster.node(1);
    private final Observed<AppendSessionRequest, AppendSessionResponse> responses = Observed.all();
    private FakeLog log;
    private StreamObserver<AppendSessionRequest> session;

    @BeforeEach
    void openSession() {
        log = cluster.create("orders");
        session = node.asyncLog().appendSession(responses);
        session.onNext(open());
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void eachAppendIsAnsweredInOrder() throws StorageException {
        for (int i = 0; i < 500; i++) {
            session.onNext(append("record " + i));
        }
        session.onCompleted();

        assertThat(responses.rest().stream()
                        .map(response -> response.getAppended().getBaseOffset()))
                .containsExactlyElementsOf(LongStream.range(0, 500).boxed().toList());
        assertThat(stored())
                .containsExactlyElementsOf(
                        IntStream.range(0, 500).mapToObj(i -> "record " + i).toList());
    }

    @Test
    void manyAreInFlightAtATimeAndJoinedIntoFewEntries() {
        log.hold();
        int before = log.entries();
        for (int i = 0; i < 60; i++) {
            session.onNext(append("record " + i));
        }
        Calls.await("all appends to arrive", () -> node.batchers.pendingBytes() > 60 * 100);

        log.release();
        session.onCompleted();

        assertThat(responses.rest()).hasSize(60);
        assertThat(log.entries() - before).isLessThan(30);
    }

    @Test
    void endingTheCallWithoutAppendsEndsItWell() {
        session.onCompleted();

        assertThat(responses.rest()).isEmpty();
    }

    @Test
    void theEndOfTheCallWaitsForTheLastResponse() {
        log.hold();
        session.onNext(append("a"));
        session.onCompleted();
        Calls.await("the append to be proposed", () -> log.heldEntries() == 1);
        responses.nothingMore();

        log.release();

        assertThat(responses.rest()).hasSize(1);
    }

    @Test
    void whenOneFailsNoneAfterItIsWritten() throws StorageException {
        log.hold();
        session.onNext(append("a"));
        Calls.await("the first to be proposed", () -> log.heldEntries() == 1);
        for (int i = 0; i < 20; i++) {
            session.onNext(append("later " + i));
        }
        Calls.await("the window to be full", () -> log.heldEntries() == 4);
        log.releaseOne();
        log.failWith(Kind.NOT_LEADER);
        log.loseOne(Kind.NOT_LEADER);
        // Raft loses what follows when it loses one.
        log.loseOne(Kind.NOT_LEADER);
        log.loseOne(Kind.NOT_LEADER);

        ErrorDetail detail = detail(responses.failure());

        assertThat(detail.getReason()).isEqualTo(ErrorReason.ERROR_REASON_NOT_LEADER);
        assertThat(detail.getEffect()).isEqualTo(Effect.EFFECT_NONE);
        Calls.await("the call to end", () -> node.server.openCalls() == 0);
        assertThat(stored()).containsExactly("a");
    }

    @Test
    void aLostOutcomeEndsTheSessionAsIndeterminate() {
        log.hold();
        session.onNext(append("a"));
        session.onNext(append("b"));
        Calls.await("the first to be proposed", () -> log.heldEntries() >= 1);
        log.loseOne(Kind.INDETERMINATE);

        ErrorDetail detail = detail(responses.failure());

        assertThat(detail.getReason()).isEqualTo(ErrorReason.ERROR_REASON_INDETERMINATE);
        assertThat(detail.getEffect()).isEqualTo(Effect.EFFECT_INDETERMINATE);
    }

    @Test
    void anInvalidAppendIsRefusedAfterThoseBeforeItWereAnswered() throws StorageException {
        log.hold();
        session.onNext(append("a"));
        session.onNext(append("b"));
        session.onNext(AppendSessionRequest.newBuilder()
                .setAppend(AppendSessionRequest.Append.getDefaultInstance())
                .build());
        session.onNext(append("never"));
        Calls.await("the first to be proposed", () -> log.heldEntries() >= 1);
        responses.nothingMore();
        log.release();

        assertThat(responses.next().getAppended().getBaseOffset()).isZero();
        assertThat(responses.next().getAppended().getBaseOffset()).isEqualTo(1);
        ErrorDetail detail = detail(responses.failure());
        assertThat(detail.getReason()).isEqualTo(ErrorReason.ERROR_REASON_INVALID_FIELD);
        assertThat(detail.getInvalidField().getField()).isEqualTo("records");
        Calls.await("the call to end", () -> node.server.openCalls() == 0);
        assertThat(stored()).containsExactly("a", "b");
    }

    @Test
    void anUnknownFieldOfAnAppendIsRefused() {
        UnknownFieldSet unknown = UnknownFieldSet.newBuilder()
                .addField(77, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
                .build();
        session.onNext(AppendSessionRequest.newBuilder()
                .setAppend(AppendSessionRequest.Append.newBuilder()
                        .addAllRecords(records("a"))
                        .setUnknownFields(unknown))
                .build());

        assertThat(detail(responses.failure()).getReason()).isEqualTo(ErrorReason.ERROR_REASON_UNKNOWN_FIELD);
    }

    @Test
    void anAppendWithAConditionWaitsForThoseBeforeItAndHoldsThoseBehindIt() throws StorageException {
        log.hold();
        session.onNext(append("a"));
        session.onNext(conditional(1, "b"));
        session.onNext(append("c"));
        Calls.await("the first to be proposed", () -> log.heldEntries() == 1);
        log.releaseOne();
        Calls.await("the condition to be proposed", () -> log.heldEntries() == 1);
        assertThat(stored()).containsExactly("a");
        log.releaseOne();
        Calls.await("what is behind it to be proposed", () -> log.heldEntries() == 1);
        log.release();
        session.onCompleted();

        assertThat(responses.rest()).hasSize(3);
        assertThat(stored()).containsExactly("a", "b", "c");
    }

    @Test
    void aConditionThatFailsEndsTheSession() throws StorageException {
        session.onNext(append("a"));
        session.onNext(conditional(7, "b"));
        session.onNext(append("c"));

        assertThat(responses.next().getAppended().getEndOffset()).isEqualTo(1);
        ErrorDetail detail = detail(responses.failure());
        assertThat(detail.getReason()).isEqualTo(ErrorReason.ERROR_REASON_END_CONFLICT);
        assertThat(detail.getEndConflict().getActualEnd()).isEqualTo(1);
        Calls.await("the call to end", () -> node.server.openCalls() == 0);
        assertThat(stored()).containsExactly("a");
    }

    /** The client may send as fast as it can: the server stops reading, and says so by flow control. */
    @Test
    void theServerStopsReadingWhileTooMuchWaits() {
        log.hold();
        String large = "x".repeat(900_000);
        CallStreamObserver<AppendSessionRequest> sending = (CallStreamObserver<AppendSessionRequest>) session;
        int sent = 0;
        while (sent < 200 && (sending.isReady() || sent < 8)) {
            session.onNext(append(large));
            sent++;
            if (sent >= 8) {
                Calls.await(
                        "bytes to go out or to be held",
                        () -> sending.isReady() || node.batchers.pendingBytes() > 4 << 20);
            }
        }

        Calls.await("appends to arrive", () -> node.batchers.pendingBytes() >= 4 << 20);
        assertThat(node.batchers.pendingBytes()).isLessThan(AppendSessionLeg.BYTES_MAX + 1_000_000);
        log.release();
        session.onCompleted();
        assertThat(responses.rest()).hasSize(sent);
    }

    @Test
    void aSessionMustOpenFirst() {
        Observed<AppendSessionRequest, AppendSessionResponse> other = Observed.all();
        node.asyncLog().appendSession(other).onNext(append("a"));

        assertThat(detail(other.failure()).getInvalidField().getField()).isEqualTo("open");
    }

    @Test
    void aSessionOpensOnce() {
        session.onNext(append("a"));
        session.onNext(open());

        assertThat(responses.next().getAppended().getEndOffset()).isEqualTo(1);
        assertThat(detail(responses.failure()).getInvalidField().getField()).isEqualTo("append");
    }

    @Test
    void theSequencesOfAWriterRiseByOneWithEachAppend() {
        Observed<AppendSessionRequest, AppendSessionResponse> other = Observed.all();
        StreamObserver<AppendSessionRequest> idempotent = node.asyncLog().appendSession(other);
        // The fake engine refuses sequences above 1,000.
        idempotent.onNext(AppendSessionRequest.newBuilder()
                .setOpen(AppendSessionRequest.Open.newBuilder()
                        .setStream("orders")
                        .setWriterId(ByteString.copyFrom(new byte[16]))
                        .setFirstSequence(999))
                .build());
        idempotent.onNext(append("a"));
        idempotent.onNext(append("b"));
        idempotent.onNext(append("c"));

        assertThat(other.next().getAppended().getBaseOffset()).isZero();
        assertThat(other.next().getAppended().getBaseOffset()).isEqualTo(1);
        ErrorDetail detail = detail(other.failure());
        assertThat(detail.getReason()).isEqualTo(ErrorReason.ERROR_REASON_OUT_OF_SEQUENCE);
        assertThat(detail.getSequenceConflict().getSequence()).isEqualTo(1_001);
    }

    @Test
    void aBadWriterIsRefused() {
        for (AppendSessionRequest.Open.Builder open : List.of(
                AppendSessionRequest.Open.newBuilder().setWriterId(ByteString.copyFrom(new byte[3])),
                AppendSessionRequest.Open.newBuilder().setFirstSequence(1),
                AppendSessionRequest.Open.newBuilder()
                        .setWriterId(ByteString.copyFrom(new byte[16]))
                        .setFirstSequence(-1))) {
            Observed<AppendSessionRequest, AppendSessionResponse> other = Observed.all();
            node.asyncLog()
                    .appendSession(other)
                    .onNext(AppendSessionRequest.newBuilder()
                            .setOpen(open.setStream("orders"))
                            .build());

            assertThat(detail(other.failure()).getReason()).isEqualTo(ErrorReason.ERROR_REASON_INVALID_FIELD);
        }
    }

    @Test
    void cancellingDropsWhatHasNotBeenProposed() throws StorageException {
        log.hold();
        session.onNext(append("a"));
        Calls.await("the first to be proposed", () -> log.heldEntries() == 1);
        for (int i = 0; i < 30; i++) {
            session.onNext(append("later " + i));
        }
        Calls.await("the window to be full", () -> log.heldEntries() == 4);
        long pending = node.batchers.pendingBytes();
        assertThat(pending).isPositive();
        responses.cancel();
        Calls.await("the server to notice", () -> node.server.openCalls() == 0);

        log.release();

        Calls.await("the queue to be empty", () -> node.batchers.pendingBytes() == 0);
        assertThat(stored()).hasSizeBetween(4, 30);
        assertThat(stored().get(0)).isEqualTo("a");
    }

    private List<String> stored() throws StorageException {
        List<String> payloads = new java.util.ArrayList<>();
        for (tidemark.statemachine.format.StoredBatch batch :
                cluster.stored("orders").batches()) {
            for (Record record : Records.decode(batch)) {
                payloads.add(record.getPayload().toStringUtf8());
            }
        }
        return payloads;
    }

    private static AppendSessionRequest open() {
        return AppendSessionRequest.newBuilder()
                .setOpen(AppendSessionRequest.Open.newBuilder().setStream("orders"))
                .build();
    }

    private static AppendSessionRequest append(String... payloads) {
        return AppendSessionRequest.newBuilder()
                .setAppend(AppendSessionRequest.Append.newBuilder().addAllRecords(records(payloads)))
                .build();
    }

    private static AppendSessionRequest conditional(long expectedEnd, String... payloads) {
        return AppendSessionRequest.newBuilder()
                .setAppend(AppendSessionRequest.Append.newBuilder()
                        .addAllRecords(records(payloads))
                        .setExpectedEnd(expectedEnd))
                .build();
    }
}
