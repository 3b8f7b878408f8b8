package tidemark.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static tidemark.server.grpc.Calls.append;
import static tidemark.server.grpc.Calls.detail;
import static tidemark.server.grpc.Calls.failure;
import static tidemark.server.grpc.Calls.readFrom;
import static tidemark.server.grpc.Calls.reason;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tidemark.server.raft.ProposalException.Kind;
import tidemark.v1.AckLevel;
import tidemark.v1.AppendResponse;
import tidemark.v1.Effect;
import tidemark.v1.ErrorDetail;
import tidemark.v1.ErrorReason;
import tidemark.v1.GetTailRequest;
import tidemark.v1.GetTailResponse;
import tidemark.v1.Header;
import tidemark.v1.Position;
import tidemark.v1.ReadMode;
import tidemark.v1.ReadResponse;
import tidemark.v1.Record;
import tidemark.v1.TruncateRequest;
import tidemark.v1.TruncateResponse;

/** The calls with one response, on a cluster of one. */
class LogServiceTest {
    private final FakeCluster cluster = cluster();
    private final FakeCluster.Node node = cluster.node(1);
    private FakeLog log;

    FakeCluster cluster() {
        return new FakeCluster(1);
    }

    @BeforeEach
    void createStream() {
        log = cluster.create("orders");
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void anAppendSaysWhereAndWhenItWasWritten() {
        cluster.time.wall(5_000);
        AppendResponse first = node.log().append(append("orders", "a", "b"));
        cluster.time.wall(4_000);
        AppendResponse second = node.log().append(append("orders", "c"));

        assertThat(first.getBaseOffset()).isZero();
        assertThat(first.getEndOffset()).isEqualTo(2);
        assertThat(first.getTimestampMs()).isEqualTo(5_000);
        assertThat(first.getTerm()).isEqualTo(2);
        assertThat(first.getAckLevel()).isEqualTo(AckLevel.ACK_LEVEL_QUORUM);
        assertThat(first.getDuplicate()).isFalse();
        assertThat(second.getBaseOffset()).isEqualTo(2);
        assertThat(second.getTimestampMs()).as("never goes back").isEqualTo(5_000);
    }

    @Test
    void recordsComeBackByteForByte() {
        Record record = Record.newBuilder()
                .setPayload(ByteString.copyFrom(new byte[] {0, -1, 10, 13, 127}))
                .setKey(ByteString.EMPTY)
                .addHeaders(Header.newBuilder().setName("ü").setValue(ByteString.copyFrom(new byte[] {-128})))
                .addHeaders(Header.newBuilder().setName("ü"))
                .build();
        node.log()
                .append(append("orders").toBuilder()
                        .addRecords(record)
                        .addRecords(Record.getDefaultInstance())
                        .build());

        List<ReadResponse> read = read(node.log().read(readFrom("orders", 0).build()));

        assertThat(read.get(0).getRecords(0).getRecord()).isEqualTo(record);
        assertThat(read.get(0).getRecords(0).getRecord().hasKey())
                .as("an empty key is a key")
                .isTrue();
        assertThat(read.get(0).getRecords(1).getRecord().hasKey()).isFalse();
    }

    @Test
    void anAppendWithAConditionThatHoldsIsWritten() {
        node.log().append(append("orders", "a").toBuilder().setExpectedEnd(0).build());

        assertThat(cluster.stored("orders").endOffset()).isEqualTo(1);
    }

    @Test
    void anAppendWithAConditionThatFailsWritesNothingAndTellsTheEnd() {
        cluster.time.wall(7_000);
        node.log().append(append("orders", "a", "b"));

        StatusRuntimeException failed = failure(() -> node.log()
                .append(append("orders", "c").toBuilder().setExpectedEnd(1).build()));

        ErrorDetail detail = detail(failed);
        assertThat(failed.getStatus().getCode()).isEqualTo(Status.Code.ABORTED);
        assertThat(detail.getReason()).isEqualTo(ErrorReason.ERROR_REASON_END_CONFLICT);
        assertThat(detail.getEffect()).isEqualTo(Effect.EFFECT_NONE);
        assertThat(detail.getStream()).isEqualTo("orders");
        assertThat(detail.getEndConflict().getExpectedEnd()).isEqualTo(1);
        assertThat(detail.getEndConflict().getActualEnd()).isEqualTo(2);
        assertThat(detail.getEndConflict().getLastTimestampMs()).isEqualTo(7_000);
        assertThat(cluster.stored("orders").endOffset()).isEqualTo(2);
    }

    @Test
    void anUnknownStreamIsNotFound() {
        ErrorDetail detail = detail(() -> node.log().append(append("nothing/here", "a")));

        assertThat(detail.getReason()).isEqualTo(ErrorReason.ERROR_REASON_STREAM_NOT_FOUND);
        assertThat(detail.getEffect()).isEqualTo(Effect.EFFECT_NONE);
        assertThat(detail.getStream()).isEqualTo("nothing/here");
    }

    @Test
    void aLostOutcomeIsIndeterminate() {
        log.failWith(Kind.INDETERMINATE);

        StatusRuntimeException failed = failure(() -> node.log().append(append("orders", "a")));

        assertThat(failed.getStatus().getCode()).isEqualTo(Status.Code.UNKNOWN);
        assertThat(detail(failed).getReason()).isEqualTo(ErrorReason.ERROR_REASON_INDETERMINATE);
        assertThat(detail(failed).getEffect()).isEqualTo(Effect.EFFECT_INDETERMINATE);
    }

    @Test
    void anOverloadedGroupRefusesWithARetryDelay() {
        log.failWith(Kind.OVERLOADED);

        StatusRuntimeException failed = failure(() -> node.log().append(append("orders", "a")));

        assertThat(failed.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(detail(failed).getReason()).isEqualTo(ErrorReason.ERROR_REASON_OVERLOADED);
        assertThat(detail(failed).getEffect()).isEqualTo(Effect.EFFECT_NONE);
        assertThat(ErrorsTest.retryMillis(failed)).isPositive();
    }

    @Test
    void withoutLeaderAWriteFailsDefinitelyBeforeItsDeadline() {
        log.noLeader();

        StatusRuntimeException failed = failure(
                () -> node.log().withDeadlineAfter(700, TimeUnit.MILLISECONDS).append(append("orders", "a")));

        assertThat(detail(failed).getReason()).isEqualTo(ErrorReason.ERROR_REASON_NO_LEADER);
        assertThat(detail(failed).getEffect()).isEqualTo(Effect.EFFECT_NONE);
        assertThat(log.stream(cluster.stored("orders").id()).orElseThrow().endOffset())
                .isZero();
    }

    @Test
    void aWriteWaitsForALeaderToBeElected() {
        log.noLeader();
        Observed<tidemark.v1.AppendRequest, AppendResponse> call = Observed.all();
        node.asyncLog().append(append("orders", "a"), call);
        Calls.await("the call to arrive", () -> node.server.openCalls() == 1);

        log.lead("s1");

        assertThat(call.next().getEndOffset()).isEqualTo(1);
    }

    @Test
    void theTailSaysWhoAnsweredAndInWhichTerm() {
        cluster.time.wall(6_000);
        node.log().append(append("orders", "a", "b", "c"));
        int entries = log.entries();

        GetTailResponse tail = node.log()
                .getTail(GetTailRequest.newBuilder().setStream("orders").build());

        assertThat(tail.getStartOffset()).isZero();
        assertThat(tail.getEndOffset()).isEqualTo(3);
        assertThat(tail.getLastTimestampMs()).isEqualTo(6_000);
        assertThat(tail.getSealed()).isFalse();
        assertThat(tail.getServerId()).isEqualTo("s1");
        assertThat(tail.getTerm()).isEqualTo(2);
        assertThat(log.entries())
                .as("linearizable is the default: a barrier went through the log")
                .isEqualTo(entries + 1);
    }

    @Test
    void aTailCheckOfTheLeaderNeedsNoEntry() {
        node.log().append(append("orders", "a"));
        int entries = log.entries();

        for (ReadMode mode : List.of(ReadMode.READ_MODE_LEADER, ReadMode.READ_MODE_ANY)) {
            assertThat(node.log()
                            .getTail(GetTailRequest.newBuilder()
                                    .setStream("orders")
                                    .setMode(mode)
                                    .build())
                            .getEndOffset())
                    .isEqualTo(1);
        }
        assertThat(log.entries()).isEqualTo(entries);
    }

    @Test
    void aLinearizableTailCheckFailsWhereTheBarrierFails() {
        log.failWith(Kind.INDETERMINATE);

        assertThat(reason(() -> node.log()
                        .getTail(GetTailRequest.newBuilder().setStream("orders").build())))
                .isEqualTo(ErrorReason.ERROR_REASON_INDETERMINATE);
    }

    @Test
    void truncationByEveryKindOfPosition() {
        for (int i = 0; i < 10; i++) {
            cluster.time.wall(1_000_000 + i);
            node.log().append(append("orders", "record " + i));
        }

        assertThat(truncate(Position.newBuilder().setStart(Position.Start.getDefaultInstance()))
                        .getStartOffset())
                .isZero();
        assertThat(truncate(Position.newBuilder().setOffset(2)).getRemovedRecords())
                .isEqualTo(2);
        assertThat(truncate(Position.newBuilder().setOffset(1)).getStartOffset())
                .as("below the start: nothing")
                .isEqualTo(2);
        assertThat(truncate(Position.newBuilder().setTimestampMs(1_000_004)).getStartOffset())
                .isEqualTo(4);
        assertThat(truncate(Position.newBuilder().setLast(3)).getStartOffset()).isEqualTo(7);
        assertThat(truncate(Position.newBuilder().setLast(100)).getStartOffset())
                .isEqualTo(7);
        TruncateResponse all = truncate(Position.newBuilder().setEnd(Position.End.getDefaultInstance()));
        assertThat(all.getPreviousStartOffset()).isEqualTo(7);
        assertThat(all.getStartOffset()).isEqualTo(10);
        assertThat(all.getFreedBytes()).isNotNegative();
        assertThat(cluster.stored("orders").startOffset()).isEqualTo(10);
    }

    @Test
    void aTimestampNewerThanAllRemovesAll() {
        node.log().append(append("orders", "a", "b"));

        assertThat(truncate(Position.newBuilder().setTimestampMs(Long.MAX_VALUE))
                        .getStartOffset())
                .isEqualTo(2);
    }

    @Test
    void aDryRunTellsWhatATruncationWouldDoAndDoesNothing() {
        node.log().append(append("orders", "a", "b"));
        node.log().append(append("orders", "c"));
        TruncateRequest.Builder request = TruncateRequest.newBuilder()
                .setStream("orders")
                .setBefore(Position.newBuilder().setOffset(2));

        TruncateResponse dry = node.log().truncate(request.setDryRun(true).build());
        assertThat(cluster.stored("orders").startOffset()).isZero();
        TruncateResponse wet = node.log().truncate(request.setDryRun(false).build());

        assertThat(dry).isEqualTo(wet);
        assertThat(cluster.stored("orders").startOffset()).isEqualTo(2);
    }

    @Test
    void truncationBeyondTheEndIsRefused() {
        node.log().append(append("orders", "a"));

        for (boolean dryRun : List.of(true, false)) {
            ErrorDetail detail = detail(() -> node.log()
                    .truncate(TruncateRequest.newBuilder()
                            .setStream("orders")
                            .setBefore(Position.newBuilder().setOffset(2))
                            .setDryRun(dryRun)
                            .build()));
            assertThat(detail.getReason()).isEqualTo(ErrorReason.ERROR_REASON_OFFSET_BEYOND_END);
            assertThat(detail.getOffsetOutOfRange().getRequestedOffset()).isEqualTo(2);
            assertThat(detail.getOffsetOutOfRange().getEndOffset()).isEqualTo(1);
        }
    }

    @Test
    void truncationWithAnotherStartThanExpectedIsRefused() {
        node.log().append(append("orders", "a", "b"));
        truncate(Position.newBuilder().setOffset(1));

        for (boolean dryRun : List.of(true, false)) {
            ErrorDetail detail = detail(() -> node.log()
                    .truncate(TruncateRequest.newBuilder()
                            .setStream("orders")
                            .setBefore(Position.newBuilder().setOffset(2))
                            .setExpectedStart(0)
                            .setDryRun(dryRun)
                            .build()));
            assertThat(detail.getReason()).isEqualTo(ErrorReason.ERROR_REASON_START_CONFLICT);
            assertThat(detail.getOffsetOutOfRange().getStartOffset()).isEqualTo(1);
        }
        assertThat(cluster.stored("orders").startOffset()).isEqualTo(1);
    }

    private TruncateResponse truncate(Position.Builder before) {
        return node.log()
                .truncate(TruncateRequest.newBuilder()
                        .setStream("orders")
                        .setBefore(before)
                        .build());
    }

    private static List<ReadResponse> read(Iterator<ReadResponse> responses) {
        List<ReadResponse> all = new java.util.ArrayList<>();
        responses.forEachRemaining(all::add);
        return all;
    }
}
