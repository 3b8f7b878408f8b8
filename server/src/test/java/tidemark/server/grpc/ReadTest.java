package tidemark.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static tidemark.server.grpc.Calls.append;
import static tidemark.server.grpc.Calls.detail;
import static tidemark.server.grpc.Calls.payload;
import static tidemark.server.grpc.Calls.payloads;
import static tidemark.server.grpc.Calls.readFrom;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tidemark.v1.ErrorDetail;
import tidemark.v1.ErrorReason;
import tidemark.v1.Position;
import tidemark.v1.ReadMode;
import tidemark.v1.ReadRequest;
import tidemark.v1.ReadResponse;
import tidemark.v1.SealStreamRequest;
import tidemark.v1.TruncateRequest;

/** Reads, served by the server that is asked. */
class ReadTest {
    private final FakeCluster cluster = cluster();
    private final FakeCluster.Node node = cluster.node(1);
    private final List<Observed<ReadRequest, ReadResponse>> following = new ArrayList<>();
    private FakeLog log;

    FakeCluster cluster() {
        return new FakeCluster(1);
    }

    /** Offsets 0 to 9, two to a batch; the batches have the timestamps 1,000,000 and up. */
    @BeforeEach
    void appendTen() {
        log = cluster.create("orders");
        for (int i = 0; i < 10; i += 2) {
            cluster.time.wall(1_000_000 + i);
            node.log().append(append("orders", "r" + i, "r" + (i + 1)));
        }
    }

    @AfterEach
    void close() {
        following.forEach(Observed::cancel);
        Calls.await("all calls to end", () -> node.server.openCalls() == 0);
        Calls.await("all readers to be closed", () -> node.stored.open.get() == 0);
        assertThat(log.replica("s1").orElseThrow().listeners()).isZero();
        cluster.close();
    }

    @Test
    void withoutBoundsReadsFromTheStartToThePresentEnd() {
        List<ReadResponse> all = read(request -> {});

        assertThat(payloads(all)).containsExactlyElementsOf(names(0, 10));
        ReadResponse last = all.get(all.size() - 1);
        assertThat(last.getCaughtUp()).isTrue();
        assertThat(last.getEndOfStream()).isFalse();
        assertThat(last.getNextOffset()).isEqualTo(10);
        assertThat(last.getStartOffset()).isZero();
        assertThat(last.getEndOffset()).isEqualTo(10);
    }

    @Test
    void offsetsAndTimestampsComeWithEachRecord() {
        List<ReadResponse> all =
                read(request -> request.setFrom(Position.newBuilder().setOffset(3)));

        assertThat(all.get(0).getRecords(0).getOffset()).isEqualTo(3);
        assertThat(all.get(0).getRecords(0).getTimestampMs()).isEqualTo(1_000_002);
        assertThat(all.get(0).getRecords(1).getOffset()).isEqualTo(4);
        assertThat(all.get(0).getRecords(1).getTimestampMs()).isEqualTo(1_000_004);
    }

    @Test
    void startsAtEveryKindOfPosition() {
        assertThat(payloads(
                        read(request -> request.setFrom(Position.newBuilder().setOffset(7)))))
                .containsExactlyElementsOf(names(7, 10));
        assertThat(payloads(
                        read(request -> request.setFrom(Position.newBuilder().setOffset(10)))))
                .isEmpty();
        assertThat(payloads(
                        read(request -> request.setFrom(Position.newBuilder().setLast(3)))))
                .containsExactlyElementsOf(names(7, 10));
        assertThat(payloads(
                        read(request -> request.setFrom(Position.newBuilder().setLast(0)))))
                .isEmpty();
        assertThat(payloads(
                        read(request -> request.setFrom(Position.newBuilder().setLast(99)))))
                .hasSize(10);
        assertThat(payloads(
                        read(request -> request.setFrom(Position.newBuilder().setTimestampMs(1_000_005)))))
                .containsExactlyElementsOf(names(6, 10));
        assertThat(payloads(
                        read(request -> request.setFrom(Position.newBuilder().setTimestampMs(2_000_000)))))
                .isEmpty();
        assertThat(payloads(read(
                        request -> request.setFrom(Position.newBuilder().setEnd(Position.End.getDefaultInstance())))))
                .isEmpty();
        assertThat(payloads(read(request ->
                        request.setFrom(Position.newBuilder().setStart(Position.Start.getDefaultInstance())))))
                .hasSize(10);
    }

    @Test
    void endsAtEveryKindOfBound() {
        assertThat(payloads(read(request -> request.setUntilOffset(3)))).containsExactlyElementsOf(names(0, 3));
        assertThat(payloads(read(request -> request.setUntilOffset(0)))).isEmpty();
        assertThat(payloads(read(request -> request.setUntilOffset(99)))).hasSize(10);
        assertThat(payloads(read(request -> request.setUntilTimestampMs(1_000_004))))
                .containsExactlyElementsOf(names(0, 4));
        assertThat(payloads(read(request -> request.setUntilTimestampMs(1)))).isEmpty();
        assertThat(payloads(read(request -> request.setMaxRecords(5)))).containsExactlyElementsOf(names(0, 5));
        assertThat(payloads(read(request -> request.setMaxBytes(5))))
                .as("two bytes each")
                .containsExactlyElementsOf(names(0, 2));
        assertThat(payloads(read(request -> request.setMaxBytes(1))))
                .as("at least one")
                .containsExactly("r0");
    }

    @Test
    void aReadWithoutRecordsStillTellsTheRangeAndWhereToGoOn() {
        List<ReadResponse> none =
                read(request -> request.setFrom(Position.newBuilder().setOffset(10)));

        assertThat(none).hasSize(1);
        assertThat(none.get(0).getNextOffset()).isEqualTo(10);
        assertThat(none.get(0).getEndOffset()).isEqualTo(10);
        assertThat(none.get(0).getCaughtUp()).isTrue();
    }

    @Test
    void aBoundedReadIsNotCaughtUp() {
        List<ReadResponse> some = read(request -> request.setMaxRecords(3));

        assertThat(some.get(0).getCaughtUp()).isFalse();
        assertThat(some.get(0).getNextOffset()).isEqualTo(3);
    }

    @Test
    void largeRecordsComeInMessagesOfTheirOwnAndSmallOnesTogether() {
        String large = "x".repeat(200_000);
        node.log().append(append("orders", large, large, large));

        List<ReadResponse> all =
                read(request -> request.setFrom(Position.newBuilder().setLast(4)));

        assertThat(all.stream().map(ReadResponse::getRecordsCount)).containsExactly(2, 1, 1);
    }

    @Test
    void belowTheStartIsATypedGap() {
        truncate(4);

        ErrorDetail detail =
                detail(() -> node.log().read(readFrom("orders", 3).build()).next());

        assertThat(detail.getReason()).isEqualTo(ErrorReason.ERROR_REASON_OFFSET_TRUNCATED);
        assertThat(detail.getOffsetOutOfRange().getRequestedOffset()).isEqualTo(3);
        assertThat(detail.getOffsetOutOfRange().getStartOffset()).isEqualTo(4);
        assertThat(detail.getOffsetOutOfRange().getEndOffset()).isEqualTo(10);
        assertThat(payloads(
                        read(request -> request.setFrom(Position.newBuilder().setOffset(5)))))
                .hasSize(5);
    }

    @Test
    void followsWhatIsAppendedLaterWithoutPolling() {
        Observed<ReadRequest, ReadResponse> read = follow(readFrom("orders", 8));
        assertThat(payload(read.next().getRecords(0))).isEqualTo("r8");
        for (int i = 0; i < 50; i++) {
            node.log().append(append("orders", "new " + i));
        }

        List<String> news = new ArrayList<>();
        while (news.size() < 50) {
            news.addAll(payloads(List.of(read.next())));
        }

        assertThat(news)
                .containsExactlyElementsOf(
                        IntStream.range(0, 50).mapToObj(i -> "new " + i).toList());
    }

    @Test
    void sayingThatItHasCaughtUpComesAtOnceAndThenAsHeartbeats() {
        Observed<ReadRequest, ReadResponse> read = follow(readFrom("orders", 10));
        ReadResponse first = read.next();
        assertThat(first.getCaughtUp()).isTrue();
        assertThat(first.getRecordsCount()).isZero();

        for (int i = 0; i < 3; i++) {
            cluster.time.skip(Duration.ofSeconds(6));
            ReadResponse heartbeat = read.next();
            assertThat(heartbeat.getCaughtUp()).isTrue();
            assertThat(heartbeat.getRecordsCount()).isZero();
            assertThat(heartbeat.getNextOffset()).isEqualTo(10);
        }
    }

    @Test
    void aFollowingReadEndsAtItsBound() {
        Observed<ReadRequest, ReadResponse> read = follow(readFrom("orders", 9).setUntilOffset(12));
        assertThat(payload(read.next().getRecords(0))).isEqualTo("r9");
        node.log().append(append("orders", "a", "b", "c"));

        assertThat(payloads(read.rest())).containsExactly("a", "b");
    }

    @Test
    void aFollowingReadEndsWhenTheStreamIsSealed() {
        Observed<ReadRequest, ReadResponse> read = follow(readFrom("orders", 9));
        assertThat(payload(read.next().getRecords(0))).isEqualTo("r9");

        node.admin().sealStream(SealStreamRequest.newBuilder().setName("orders").build());

        List<ReadResponse> rest = read.rest();
        ReadResponse last = rest.get(rest.size() - 1);
        assertThat(last.getEndOfStream()).isTrue();
        assertThat(last.getNextOffset()).isEqualTo(10);
    }

    @Test
    void aReadOfASealedStreamSaysThatThisIsTheEnd() {
        node.admin().sealStream(SealStreamRequest.newBuilder().setName("orders").build());

        List<ReadResponse> all = read(request -> request.setFollow(true));
        assertThat(payloads(all)).hasSize(10);
        assertThat(all.get(all.size() - 1).getEndOfStream()).isTrue();
        List<ReadResponse> atEnd =
                read(request -> request.setFrom(Position.newBuilder().setOffset(10)));
        assertThat(atEnd).hasSize(1);
        assertThat(atEnd.get(0).getEndOfStream()).isTrue();
    }

    @Test
    void aReaderThatIsOvertakenByATruncationGetsAGap() {
        String large = "x".repeat(250_000);
        for (int i = 0; i < 40; i++) {
            node.log().append(append("orders", large));
        }
        Observed<ReadRequest, ReadResponse> read = Observed.onRequest();
        node.asyncLog().read(readFrom("orders", 0).build(), read);
        read.request(1);
        assertThat(payload(read.next().getRecords(0))).isEqualTo("r0");
        truncate(48);

        read.request(1_000);

        assertThat(detail(read.failure()).getReason()).isEqualTo(ErrorReason.ERROR_REASON_OFFSET_TRUNCATED);
    }

    /** A reader that takes nothing costs what the network buffers, not the whole stream. */
    @Test
    void aSlowReaderIsNotReadAheadFor() {
        String large = "x".repeat(250_000);
        for (int i = 0; i < 60; i++) {
            node.log().append(append("orders", large));
        }
        Observed<ReadRequest, ReadResponse> read = Observed.onRequest();
        node.asyncLog().read(readFrom("orders", 0).build(), read);
        read.request(1);
        read.next();
        // Another reader of the same stream goes all the way meanwhile.
        int before = node.stored.reads.get();
        assertThat(payloads(read(request -> {}))).hasSize(70);
        int full = 65;
        assertThat(node.stored.reads.get() - before).isBetween(full, full + 30);
        assertThat(before).isLessThan(30);

        cluster.time.skip(Duration.ofSeconds(2));
        Calls.await("it to give up its memory", () -> node.stored.released.get() > 0);

        read.request(1_000);

        assertThat(payloads(read.rest()).size()).isBetween(59, 70);
    }

    @Test
    void damagedDataIsReportedAsSuch() {
        node.stored.damaged = true;

        ErrorDetail detail =
                detail(() -> node.log().read(readFrom("orders", 0).build()).next());

        assertThat(detail.getReason()).isEqualTo(ErrorReason.ERROR_REASON_CORRUPT);
    }

    @Test
    void losingTheLeadershipEndsAReadFromTheLeader() {
        Observed<ReadRequest, ReadResponse> read = follow(readFrom("orders", 9));
        read.next();

        log.noLeader();

        assertThat(detail(read.failure()).getReason()).isEqualTo(ErrorReason.ERROR_REASON_NOT_LEADER);
    }

    @Test
    void losingTheLeadershipDoesNotEndAReadFromAnyReplica() {
        Observed<ReadRequest, ReadResponse> read = follow(readFrom("orders", 9).setMode(ReadMode.READ_MODE_ANY));
        read.next();
        log.noLeader();
        log.lead("s1");

        node.log().append(append("orders", "later"));

        assertThat(payload(read.next().getRecords(0))).isEqualTo("later");
    }

    @Test
    void aLinearizableReadPutsABarrierIntoTheLogFirst() {
        int before = log.entries();

        assertThat(payloads(read(request -> request.setMode(ReadMode.READ_MODE_LINEARIZABLE))))
                .hasSize(10);

        assertThat(log.entries()).isEqualTo(before + 1);
    }

    @Test
    void tooManyReadsAreRefused() {
        for (int i = 0; i < 20; i++) {
            follow(readFrom("orders", 10)).next();
        }

        ErrorDetail detail =
                detail(() -> node.log().read(readFrom("orders", 0).build()).next());
        assertThat(detail.getReason()).isEqualTo(ErrorReason.ERROR_REASON_OVERLOADED);
        following.remove(0).cancel();
        Calls.await("one to end", () -> node.server.openCalls() == 19);
        Calls.await("its reader to be closed", () -> node.stored.open.get() == 19);
        assertThat(payloads(read(request -> {}))).hasSize(10);
    }

    @Test
    void manyFollowersShareOneListener() {
        for (int i = 0; i < 10; i++) {
            follow(readFrom("orders", 10)).next();
        }
        assertThat(log.replica("s1").orElseThrow().listeners()).isEqualTo(1);

        node.log().append(append("orders", "news"));

        for (Observed<ReadRequest, ReadResponse> read : following) {
            assertThat(payload(read.next().getRecords(0))).isEqualTo("news");
        }
    }

    private List<ReadResponse> read(Consumer<ReadRequest.Builder> change) {
        ReadRequest.Builder request = ReadRequest.newBuilder().setStream("orders");
        change.accept(request);
        List<ReadResponse> all = new ArrayList<>();
        node.log().read(request.build()).forEachRemaining(all::add);
        return all;
    }

    private Observed<ReadRequest, ReadResponse> follow(ReadRequest.Builder request) {
        Observed<ReadRequest, ReadResponse> read = Observed.all();
        node.asyncLog().read(request.setFollow(true).build(), read);
        following.add(read);
        return read;
    }

    private void truncate(long before) {
        node.log()
                .truncate(TruncateRequest.newBuilder()
                        .setStream("orders")
                        .setBefore(Position.newBuilder().setOffset(before))
                        .build());
    }

    private static List<String> names(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> "r" + i).toList();
    }
}
