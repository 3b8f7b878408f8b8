package tidemark.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tidemark.client.FakeCluster.Cut;
import tidemark.v1.ErrorReason;
import tidemark.v1.Record;

/** Readers: no gap, no repeat, typed ends, bounded memory. */
@Timeout(60)
class ReaderTest {
    private static final String STREAM = "orders";

    private final FakeCluster cluster = new FakeCluster("a", "b", "c");
    private final FakeWorld world = new FakeWorld(cluster.namespace, TimeUnit.SECONDS.toNanos(2));

    @AfterEach
    void stop() {
        cluster.close();
        world.close();
    }

    private static ReadOptions fromStart() {
        return ReadOptions.from(LogPosition.start());
    }

    private static ReadOptions following() {
        return fromStart().toBuilder().follow(true).build();
    }

    private static List<Long> offsets(RecordReader reader) {
        List<Long> offsets = new ArrayList<>();
        for (StoredLogRecord record = reader.next(); record != null; record = reader.next()) {
            assertThat(record.record()).isEqualTo(LogRecord.of(Long.toString(record.offset())));
            offsets.add(record.offset());
        }
        return offsets;
    }

    private static List<Long> range(long from, long to) {
        List<Long> range = new ArrayList<>();
        for (long i = from; i < to; i++) {
            range.add(i);
        }
        return range;
    }

    private void append(String payload) {
        var unused = cluster.apply(
                List.of(Record.newBuilder()
                        .setPayload(ByteString.copyFromUtf8(payload))
                        .build()),
                ByteString.EMPTY,
                0);
        cluster.wakeReaders();
    }

    // ---- bounded

    @Test
    void boundedReadDeliversAllAndEnds() {
        cluster.fill(100);
        try (TidemarkClient client = cluster.client(world, "b", "a");
                RecordReader reader = client.read(STREAM, fromStart())) {
            assertThat(offsets(reader)).isEqualTo(range(0, 100));
            assertThat(reader.ended()).isTrue();
            assertThat(reader.next()).isNull();
            assertThat(reader.progress().nextOffset()).isEqualTo(100);
            assertThat(reader.progress().endOfStream()).isFalse();
        }
    }

    @Test
    void emptyStreamEndsAtOnce() {
        try (TidemarkClient client = cluster.client(world, "a");
                RecordReader reader = client.read(STREAM, fromStart())) {
            assertThat(reader.next()).isNull();
            assertThat(reader.ended()).isTrue();
        }
    }

    @Test
    void sealedStreamSaysThatItIsReadToItsEnd() {
        cluster.fill(4);
        cluster.seal();
        try (TidemarkClient client = cluster.client(world, "a");
                RecordReader reader = client.read(STREAM, following())) {
            assertThat(offsets(reader)).isEqualTo(range(0, 4));
            assertThat(reader.progress().endOfStream()).isTrue();
        }
    }

    @Test
    void lostCallsLeaveNoGapAndNoRepeat() {
        cluster.fill(300);
        for (int seed = 0; seed < 30; seed++) {
            Random random = new Random(seed);
            for (int i = 0; i < 40; i++) {
                cluster.planCuts(
                        new Cut(random.nextInt(4), random.nextBoolean() ? Errors.connectionLost() : Errors.noLeader()));
            }
            cluster.lead(List.of("a", "b", "c").get(random.nextInt(3)));
            ReadOptions options = ReadOptions.builder(LogPosition.last(250))
                    .bufferBytes(1 + random.nextInt(30))
                    .build();
            try (TidemarkClient client = cluster.client(
                            new FakeWorld(cluster.namespace, TimeUnit.SECONDS.toNanos(2)), "a", "b", "c");
                    RecordReader reader = client.read(STREAM, options)) {
                assertThat(offsets(reader)).as("seed " + seed).isEqualTo(range(50, 300));
            }
        }
    }

    @Test
    void readThatDoesNotFollowEndsWhereTheStreamEndedWhenItBegan() {
        cluster.fill(10);
        cluster.planCuts(new Cut(2, Errors.connectionLost()));
        AtomicInteger messages = new AtomicInteger();
        cluster.server("a").beforeReadMessage = () -> {
            if (messages.incrementAndGet() == 2) {
                cluster.fill(5); // too late for this read, though the call that goes on sees it
            }
        };
        try (TidemarkClient client = cluster.client(world, "a");
                RecordReader reader = client.read(STREAM, fromStart())) {
            assertThat(offsets(reader)).isEqualTo(range(0, 10));
        }
        assertThat(cluster.end()).isEqualTo(15);
    }

    @Test
    void limitOfRecordsHoldsOverSeveralCalls() {
        cluster.fill(100);
        cluster.planCuts(new Cut(2, Errors.connectionLost()), new Cut(1, Errors.connectionLost()));
        try (TidemarkClient client = cluster.client(world, "a");
                RecordReader reader = client.read(
                        STREAM,
                        ReadOptions.builder(LogPosition.offset(5))
                                .maxRecords(20)
                                .build())) {
            assertThat(offsets(reader)).isEqualTo(range(5, 25));
        }
    }

    // ---- following

    @Test
    void followerGetsNewRecordsAndKnowsWhenItHasCaughtUp() {
        cluster.fill(2);
        try (TidemarkClient client = cluster.client(world, "a");
                RecordReader reader = client.read(STREAM, following())) {
            assertThat(nextOffset(reader)).isZero();
            assertThat(reader.progress().nextOffset()).isEqualTo(1);
            assertThat(reader.progress().caughtUp()).isFalse();
            assertThat(nextOffset(reader)).isEqualTo(1);
            assertThat(reader.progress().caughtUp()).isTrue();
            append("2");
            assertThat(nextOffset(reader)).isEqualTo(2);
            assertThat(reader.poll(Duration.ZERO)).isNull();
            assertThat(reader.ended()).isFalse();
        }
    }

    private static long nextOffset(RecordReader reader) {
        StoredLogRecord record = reader.next();
        assertThat(record).isNotNull();
        return record == null ? -1 : record.offset();
    }

    @Test
    void followerGoesOnWithTheNewLeaderWhenItsServerDies() {
        cluster.fill(5);
        try (TidemarkClient client = cluster.client(world, "a", "b");
                RecordReader reader = client.read(STREAM, following())) {
            for (int i = 0; i < 5; i++) {
                assertThat(nextOffset(reader)).isEqualTo(i);
            }
            cluster.lead("b");
            cluster.server("a").kill();
            append("5");
            assertThat(nextOffset(reader)).isEqualTo(5);
        }
    }

    @Test
    void silentServerIsLeftAfterThreeHeartbeats() throws Exception {
        cluster.fill(3);
        cluster.server("a").silentReads = true;
        try (TidemarkClient client = cluster.client(world, "a", "b");
                RecordReader reader = client.read(STREAM, following())) {
            cluster.awaitCall("a read direct");
            assertThat(world.awaitTask(ResumingRead.SILENCE_NANOS)).isEqualTo(ResumingRead.SILENCE_NANOS);
            cluster.lead("b");
            world.advance(ResumingRead.SILENCE_NANOS);
            assertThat(nextOffset(reader)).isZero();
            cluster.awaitCall("a read cancelled");
        }
    }

    // ---- failing

    @Test
    void recordsTruncatedUnderTheReaderAreATypedGapAfterTheOnesBefore() {
        cluster.fill(9);
        cluster.planCuts(new Cut(1, Errors.connectionLost()));
        cluster.server("a").beforeReadMessage = () -> cluster.truncate(6);
        try (TidemarkClient client = cluster.client(world, "a");
                RecordReader reader = client.read(STREAM, fromStart())) {
            assertThat(List.of(nextOffset(reader), nextOffset(reader), nextOffset(reader)))
                    .isEqualTo(range(0, 3));
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(reader::next)
                        .isInstanceOfSatisfying(TidemarkException.OffsetTruncated.class, gap -> {
                            assertThat(gap.requestedOffset()).isEqualTo(3);
                            assertThat(gap.startOffset()).isEqualTo(6);
                            assertThat(gap.endOffset()).isEqualTo(9);
                        });
            }
        }
    }

    @Test
    void offsetBeyondTheEndIsAnErrorAtFirstAndALagWhenGoingOn() {
        cluster.fill(9);
        try (TidemarkClient client = cluster.client(world, "a")) {
            try (RecordReader reader = client.read(STREAM, ReadOptions.from(LogPosition.offset(10)))) {
                assertThatThrownBy(reader::next).isInstanceOf(TidemarkException.OffsetBeyondEnd.class);
            }
            cluster.planCuts(
                    new Cut(1, Errors.connectionLost()),
                    new Cut(0, Errors.outOfRange(ErrorReason.ERROR_REASON_OFFSET_BEYOND_END, 3, 0, 2)));
            try (RecordReader reader = client.read(STREAM, fromStart())) {
                assertThat(offsets(reader)).isEqualTo(range(0, 9));
            }
        }
    }

    @Test
    void withoutAnyServerTheReaderGivesUpAfterTheRequestTimeout() {
        try (TidemarkClient client = cluster.client(world, "nowhere");
                RecordReader reader = client.read(STREAM, following())) {
            assertThatThrownBy(reader::next).isInstanceOf(TidemarkException.Unavailable.class);
        }
    }

    @Test
    void chosenReplicaIsTheOnlyOneAsked() {
        cluster.fill(3);
        try (TidemarkClient client = cluster.client(world, "a");
                RecordReader reader = client.read(
                        STREAM,
                        fromStart().toBuilder()
                                .replica(FakeCluster.endpoint("c"))
                                .build())) {
            assertThat(offsets(reader)).isEqualTo(range(0, 3));
        }
        assertThat(cluster.calls()).containsExactly("c read any direct");
        assertThatThrownBy(() -> fromStart().toBuilder()
                        .replica(FakeCluster.endpoint("c"))
                        .mode(ReadMode.LINEARIZABLE)
                        .build())
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void closingEndsAWaitingReader() {
        TidemarkClient client = cluster.client(world, "a");
        RecordReader reader = client.read(STREAM, following());
        client.close();
        assertThatThrownBy(reader::next).isInstanceOf(TidemarkException.Closed.class);
        RecordReader late = client.read(STREAM, following());
        assertThatThrownBy(late::next).isInstanceOf(TidemarkException.Closed.class);
    }

    // ---- memory

    @Test
    void slowReaderHoldsTheServerBack() {
        int bufferBytes = 40;
        cluster.fill(1_000);
        cluster.server("a").recordsPerMessage = 1;
        AtomicInteger sent = new AtomicInteger();
        AtomicInteger taken = new AtomicInteger();
        AtomicInteger lead = new AtomicInteger();
        cluster.server("a").beforeReadMessage =
                () -> lead.accumulateAndGet(sent.incrementAndGet() - taken.get(), Math::max);
        try (TidemarkClient client = cluster.client(world, "a");
                RecordReader reader = client.read(
                        STREAM, fromStart().toBuilder().bufferBytes(bufferBytes).build())) {
            while (reader.next() != null) {
                taken.incrementAndGet();
            }
        }
        assertThat(taken).hasValue(1_000);
        // At most 40 records of one byte are held, one is being taken, one is asked for.
        assertThat(lead.get()).isLessThanOrEqualTo(bufferBytes + 3);
    }

    // ---- listeners

    private static final class Noting implements ReadListener {
        final BlockingQueue<String> notes = new LinkedBlockingQueue<>();

        @Override
        public void onRecords(List<StoredLogRecord> records, ReadProgress progress) {
            notes.add("records " + records.get(0).offset() + " to " + progress.nextOffset());
        }

        @Override
        public void onCaughtUp(ReadProgress progress) {
            notes.add("caught up at " + progress.nextOffset());
        }

        @Override
        public void onEnd(ReadProgress progress) {
            notes.add("end at " + progress.nextOffset());
        }

        @Override
        public void onFailure(TidemarkException failure) {
            notes.add(failure.getClass().getSimpleName());
        }
    }

    @Test
    void listenerGetsRecordsThenCaughtUpThenNewOnes() throws Exception {
        cluster.fill(4);
        Noting listener = new Noting();
        try (TidemarkClient client = cluster.client(world, "a");
                Subscription subscription = client.subscribe(STREAM, following(), listener)) {
            assertThat(listener.notes.take()).isEqualTo("records 0 to 3");
            assertThat(listener.notes.take()).isEqualTo("records 3 to 4");
            assertThat(listener.notes.take()).isEqualTo("caught up at 4");
            append("4");
            assertThat(listener.notes.take()).isEqualTo("records 4 to 5");
            assertThat(listener.notes.take()).isEqualTo("caught up at 5");
            while (subscription.progress().nextOffset() < 5) {
                Thread.onSpinWait(); // set when the listener has returned
            }
        }
        assertThat(listener.notes).isEmpty();
    }

    @Test
    void listenerIsToldTheEndOrTheFailureOnce() throws Exception {
        cluster.fill(3);
        try (TidemarkClient client = cluster.client(world, "a")) {
            Noting ending = new Noting();
            Subscription first = client.subscribe(STREAM, fromStart(), ending);
            assertThat(ending.notes.take()).isEqualTo("records 0 to 3");
            assertThat(ending.notes.take()).isEqualTo("caught up at 3");
            assertThat(ending.notes.take()).isEqualTo("end at 3");
            first.close();
            assertThat(ending.notes).isEmpty();

            Noting failing = new Noting();
            Subscription second = client.subscribe(STREAM, ReadOptions.from(LogPosition.offset(9)), failing);
            assertThat(failing.notes.take()).isEqualTo("OffsetBeyondEnd");
            second.close();
            assertThat(failing.notes).isEmpty();
        }
    }
}
