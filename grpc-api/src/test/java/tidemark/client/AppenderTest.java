package tidemark.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tidemark.client.FakeCluster.Fate;
import tidemark.v1.Effect;
import tidemark.v1.ErrorReason;

/** Appenders: order, joining, repetition, and what they say about each record when they break. */
@Timeout(60)
class AppenderTest {
    private static final String STREAM = "orders";
    private static final AppenderOptions PLAIN = AppenderOptions.defaults().withIdempotent(false);

    private final FakeCluster cluster = new FakeCluster("a", "b", "c");
    private final FakeWorld world = new FakeWorld(cluster.namespace, TimeUnit.SECONDS.toNanos(2));

    @AfterEach
    void stop() {
        cluster.close();
        world.close();
    }

    private static List<CompletableFuture<AppendResult>> addAll(Appender appender, int from, int to) {
        List<CompletableFuture<AppendResult>> futures = new ArrayList<>();
        for (int i = from; i < to; i++) {
            futures.add(appender.add(LogRecord.of(Integer.toString(i))));
        }
        return futures;
    }

    private static List<String> numbers(int from, int to) {
        List<String> numbers = new ArrayList<>();
        for (int i = from; i < to; i++) {
            numbers.add(Integer.toString(i));
        }
        return numbers;
    }

    private static AppenderOptions onePerBatch(AppenderOptions options) {
        return options.withBatchLimits(1, RecordLimits.BATCH_BYTES_MAX);
    }

    // ---- the good case

    @Test
    void recordsAreWrittenInOrderAndEachIsToldItsOffset() {
        try (TidemarkClient client = cluster.client(world, "b", "a");
                Appender appender = client.openAppender(STREAM)) {
            List<CompletableFuture<AppendResult>> futures = addAll(appender, 0, 5_000);
            appender.flush();
            for (int i = 0; i < futures.size(); i++) {
                assertThat(futures.get(i).join().baseOffset()).isEqualTo(i);
                assertThat(futures.get(i).join().endOffset()).isEqualTo(i + 1);
            }
            assertThat(appender.report())
                    .isEqualTo(new AppenderReport(5_000, 0, 0, 0, 5_000, java.util.Optional.empty()));
        }
        assertThat(cluster.payloads()).isEqualTo(numbers(0, 5_000));
        assertThat(cluster.batches()).hasSizeLessThan(5_000).allMatch(size -> size <= 1_000);
    }

    @Test
    void recordsOfOneAddStayTogether() {
        try (TidemarkClient client = cluster.client(world, "a")) {
            Appender appender =
                    client.openAppender(STREAM, AppenderOptions.defaults().withBatchLimits(10, 1 << 20));
            List<LogRecord> many = numbers(0, 25).stream().map(LogRecord::of).toList();
            assertThat(appender.add(many).join().recordCount()).isEqualTo(25);
            appender.close();
        }
        assertThat(cluster.batches()).containsExactly(25);
    }

    @Test
    void closeEndsTheSessionInPeace() throws Exception {
        try (TidemarkClient client = cluster.client(world, "a")) {
            Appender appender = client.openAppender(STREAM);
            CompletableFuture<AppendResult> added = appender.add(LogRecord.of("x"));
            appender.close();
            assertThat(added).isCompleted();
            cluster.awaitCall("a session completed");
            assertThat(appender.report().failure()).isEmpty();
            assertThatThrownBy(() -> appender.add(LogRecord.of("y"))).isInstanceOf(TidemarkException.Closed.class);
            appender.flush();
        }
    }

    @Test
    void badRecordIsRefusedAloneAndItsNeighboursAreWritten() {
        try (TidemarkClient client = cluster.client(world, "a");
                Appender appender = client.openAppender(STREAM)) {
            CompletableFuture<AppendResult> before = appender.add(LogRecord.of("x"));
            LogRecord bad = LogRecord.builder().header("", new byte[0]).build();
            assertThatThrownBy(() -> appender.add(bad)).isInstanceOf(TidemarkException.InvalidRequest.class);
            CompletableFuture<AppendResult> after = appender.add(LogRecord.of("y"));
            appender.flush();
            assertThat(before.join().baseOffset()).isZero();
            assertThat(after.join().baseOffset()).isEqualTo(1);
        }
    }

    // ---- limits

    @Test
    void fullBufferTakesNoMore() throws Exception {
        cluster.plan(Fate.hang());
        try (TidemarkClient client = cluster.client(world, "a")) {
            Appender appender =
                    client.openAppender(STREAM, AppenderOptions.defaults().withMaxBufferedBytes(200));
            CompletableFuture<AppendResult> first = appender.add(LogRecord.of("x"));
            CompletableFuture<AppendResult> second = appender.add(LogRecord.of("y"));
            assertThat(appender.tryAdd(List.of(LogRecord.of("z")))).isEmpty();

            Thread writer = new Thread(() -> appender.add(LogRecord.of("z")));
            writer.setUncaughtExceptionHandler(
                    (thread, failure) -> cluster.called(failure.getClass().getSimpleName()));
            writer.start();
            while (writer.getState() != Thread.State.WAITING) {
                Thread.onSpinWait(); // until it blocks in add
            }
            appender.abort();
            writer.join();
            assertThat(cluster.calls()).contains("NotSent");
            assertThat(first).isCompletedExceptionally();
            assertThat(second).isCompletedExceptionally();
            assertThat(appender.report().acked()).isZero();
        }
        assertThat(cluster.payloads()).isEmpty();
    }

    @Test
    void blockedAddGoesOnWhenSomethingIsAcknowledged() {
        try (TidemarkClient client = cluster.client(world, "a");
                Appender appender =
                        client.openAppender(STREAM, AppenderOptions.defaults().withMaxBufferedBytes(1_000))) {
            addAll(appender, 0, 2_000);
            appender.flush();
        }
        assertThat(cluster.payloads()).isEqualTo(numbers(0, 2_000));
        assertThat(cluster.batches()).allMatch(size -> size <= 1_000 / 64);
    }

    @Test
    void addAboveTheBufferIsTakenAlone() {
        try (TidemarkClient client = cluster.client(world, "a");
                Appender appender =
                        client.openAppender(STREAM, AppenderOptions.defaults().withMaxBufferedBytes(1))) {
            addAll(appender, 0, 5);
            appender.flush();
        }
        assertThat(cluster.batches()).containsExactly(1, 1, 1, 1, 1);
    }

    @Test
    void notMoreBatchesAreInFlightThanAllowed() throws Exception {
        cluster.plan(Fate.hang());
        try (TidemarkClient client = cluster.client(world, "a")) {
            Appender appender = client.openAppender(STREAM, onePerBatch(PLAIN).withMaxBatchesInFlight(3));
            List<CompletableFuture<AppendResult>> futures = addAll(appender, 0, 10);
            cluster.awaitCall("a batch");
            appender.abort();
            assertThat(appender.report().unknown()).isBetween(1L, 3L);
            assertThat(appender.report().unknown() + appender.report().notWritten())
                    .isEqualTo(10);
            assertThat(futures).allMatch(CompletableFuture::isCompletedExceptionally);
        }
    }

    // ---- going on

    @Test
    void batchesThatAreDefinitelyNotWrittenAreSentAgainInOrder() {
        cluster.plan(
                Fate.ack(),
                Fate.fail(Errors.noLeader()),
                Fate.ack(),
                Fate.fail(Errors.overloaded(0)),
                Fate.fail(Errors.of(
                        Status.Code.UNAVAILABLE, ErrorReason.ERROR_REASON_SHUTTING_DOWN, Effect.EFFECT_NONE)));
        try (TidemarkClient client = cluster.client(world, "a");
                Appender appender = client.openAppender(STREAM, onePerBatch(PLAIN))) {
            addAll(appender, 0, 20);
            appender.flush();
        }
        assertThat(cluster.payloads()).isEqualTo(numbers(0, 20));
    }

    @Test
    void sessionFollowsTheLeader() {
        cluster.lead("c");
        try (TidemarkClient client = cluster.client(world, "a", "b", "c");
                Appender appender = client.openAppender(STREAM)) {
            addAll(appender, 0, 10);
            appender.flush();
            cluster.lead("b");
            cluster.plan(Fate.fail(Errors.notLeader("b", "b:1")));
            addAll(appender, 10, 20);
            appender.flush();
        }
        assertThat(cluster.payloads()).isEqualTo(numbers(0, 20));
        assertThat(cluster.calls().stream().filter(call -> call.contains("session direct")))
                .containsExactly("a session direct", "c session direct", "b session direct");
    }

    @Test
    void batchWhoseAnswerIsLostIsSentAgainAndWrittenOnce() {
        cluster.plan(Fate.ack(), Fate.loseAnswer(), Fate.loseRequest(), Fate.fail(Errors.indeterminate()));
        try (TidemarkClient client = cluster.client(world, "a");
                Appender appender = client.openAppender(STREAM, onePerBatch(AppenderOptions.defaults()))) {
            List<CompletableFuture<AppendResult>> futures = addAll(appender, 0, 20);
            appender.flush();
            for (int i = 0; i < 20; i++) {
                assertThat(futures.get(i).join().baseOffset()).isEqualTo(i);
            }
        }
        assertThat(cluster.payloads()).isEqualTo(numbers(0, 20));
    }

    @Test
    void killedLeaderCostsNothingButTime() {
        try (TidemarkClient client = cluster.client(world, "a", "b", "c");
                Appender appender = client.openAppender(STREAM)) {
            addAll(appender, 0, 1_000);
            cluster.lead("b");
            cluster.server("a").kill();
            addAll(appender, 1_000, 2_000);
            appender.flush();
            assertThat(appender.report().acked()).isEqualTo(2_000);
        }
        assertThat(cluster.payloads()).isEqualTo(numbers(0, 2_000));
    }

    @Test
    void anyFailuresLeaveEachRecordWrittenOnceAndInOrder() {
        for (int seed = 0; seed < 30; seed++) {
            Random random = new Random(seed);
            long base = cluster.end();
            try (TidemarkClient client = cluster.client(
                            new FakeWorld(cluster.namespace, TimeUnit.SECONDS.toNanos(2)), "a", "b", "c");
                    Appender appender = client.openAppender(
                            STREAM, AppenderOptions.defaults().withBatchLimits(1 + random.nextInt(5), 1 << 20))) {
                for (int i = 0; i < 100; i++) {
                    cluster.plan(randomFate(random));
                    if (random.nextInt(10) == 0) {
                        cluster.lead(List.of("a", "b", "c").get(random.nextInt(3)));
                    }
                    addAll(appender, i, i + 1);
                }
                appender.flush();
            }
            List<String> written = cluster.payloads().subList((int) base, (int) cluster.end());
            assertThat(written).as("seed " + seed).isEqualTo(numbers(0, 100));
        }
    }

    private static Fate randomFate(Random random) {
        return switch (random.nextInt(12)) {
            case 0 -> Fate.loseAnswer();
            case 1 -> Fate.loseRequest();
            case 2 -> Fate.fail(Errors.noLeader());
            case 3 -> Fate.fail(Errors.overloaded(0));
            case 4 -> Fate.fail(Errors.indeterminate());
            default -> Fate.ack();
        };
    }

    @Test
    void forgottenWriterWithoutDoubtsStartsAgain() {
        try (TidemarkClient client = cluster.client(world, "a");
                Appender appender = client.openAppender(STREAM)) {
            addAll(appender, 0, 10);
            appender.flush();
            cluster.forgetWriters();
            addAll(appender, 10, 20);
            appender.flush();
        }
        assertThat(cluster.payloads()).isEqualTo(numbers(0, 20));
    }

    @Test
    void forgottenWriterWithADoubtIsIndeterminate() {
        try (TidemarkClient client = cluster.client(world, "a")) {
            Appender appender = client.openAppender(STREAM, onePerBatch(AppenderOptions.defaults()));
            assertThat(appender.add(LogRecord.of("0")).join().baseOffset()).isZero();
            cluster.plan(Fate.loseAnswer(), Fate.fail(Errors.unknownWriter()));
            CompletableFuture<AppendResult> doubtful = appender.add(LogRecord.of("1"));
            assertThatThrownBy(() -> Futures.join(doubtful)).isInstanceOf(TidemarkException.Indeterminate.class);
            assertThat(appender.report().unknown()).isEqualTo(1);
        }
        assertThat(cluster.payloads()).containsExactly("0", "1");
    }

    // ---- breaking

    @Test
    void plainAppenderThatBreaksSaysExactlyWhichRecordsAreWhich() {
        for (int seed = 0; seed < 30; seed++) {
            Random random = new Random(seed);
            long base = cluster.end();
            int good = random.nextInt(15);
            for (int i = 0; i < good; i++) {
                cluster.plan(Fate.ack());
            }
            cluster.plan(random.nextBoolean() ? Fate.loseAnswer() : Fate.loseRequest());
            try (TidemarkClient client = cluster.client(new FakeWorld(cluster.namespace, 0), "a")) {
                Appender appender = client.openAppender(STREAM, onePerBatch(PLAIN));
                List<CompletableFuture<AppendResult>> futures = new ArrayList<>();
                try {
                    futures.addAll(addAll(appender, 0, 20));
                } catch (TidemarkException.NotSent broken) {
                    assertThat(broken.failure()).isPresent();
                }
                assertThatThrownBy(appender::flush).isInstanceOf(TidemarkException.Indeterminate.class);
                assertPartition(appender.report(), futures, good, base);
            }
        }
    }

    /** The futures, the report and the log tell the same story. */
    private void assertPartition(
            AppenderReport report, List<CompletableFuture<AppendResult>> futures, int acked, long base) {
        assertThat(report.acked()).isEqualTo(acked);
        assertThat(report.unknown()).isPositive();
        assertThat(report.waiting()).isZero();
        for (int i = 0; i < futures.size(); i++) {
            CompletableFuture<AppendResult> future = futures.get(i);
            if (i < acked) {
                assertThat(future.join().baseOffset()).isEqualTo(base + i);
            } else {
                Class<?> expected = i < acked + report.unknown()
                        ? TidemarkException.Indeterminate.class
                        : TidemarkException.NotSent.class;
                assertThatThrownBy(() -> Futures.join(future)).isInstanceOf(expected);
            }
        }
        assertThat(cluster.end() - base).isBetween((long) acked, acked + report.unknown());
    }

    @Test
    void refusedBatchFailsWithTheRefusalAndThoseBehindItAreNotWritten() {
        cluster.plan(Fate.ack(), Fate.fail(Errors.sealed()));
        try (TidemarkClient client = cluster.client(world, "a")) {
            Appender appender = client.openAppender(STREAM, onePerBatch(AppenderOptions.defaults()));
            CompletableFuture<AppendResult> first = appender.add(LogRecord.of("0"));
            CompletableFuture<AppendResult> second = appender.add(LogRecord.of("1"));
            assertThat(first.join().baseOffset()).isZero();
            assertThatThrownBy(() -> Futures.join(second)).isInstanceOf(TidemarkException.Sealed.class);
            assertThatThrownBy(() -> appender.add(LogRecord.of("2")))
                    .isInstanceOf(TidemarkException.NotSent.class)
                    .hasCauseInstanceOf(TidemarkException.Sealed.class);
            assertThatThrownBy(appender::close).isInstanceOf(TidemarkException.Sealed.class);
            assertThat(appender.report().notWritten()).isEqualTo(1);
        }
        assertThat(cluster.payloads()).containsExactly("0");
    }

    @Test
    void silenceForTheRequestTimeoutIsIndeterminateForWhatWasSentOnly() throws Exception {
        cluster.plan(Fate.ack(), Fate.hang());
        try (TidemarkClient client = cluster.client(world, "a")) {
            Appender appender = client.openAppender(
                    STREAM, onePerBatch(AppenderOptions.defaults()).withMaxBatchesInFlight(2));
            assertThat(appender.add(LogRecord.of("0")).join().baseOffset()).isZero();
            List<CompletableFuture<AppendResult>> futures = addAll(appender, 1, 6);
            while (cluster.batches().size() < 2) {
                Thread.onSpinWait(); // until the second batch is there
            }
            world.advance(TimeUnit.SECONDS.toNanos(31));
            assertThatThrownBy(() -> Futures.join(futures.get(0)))
                    .isInstanceOfSatisfying(
                            TidemarkException.Indeterminate.class,
                            failure -> assertThat(failure.reason()).isEqualTo(Reason.TIMEOUT));
            assertThatThrownBy(() -> Futures.join(futures.get(4))).isInstanceOf(TidemarkException.NotSent.class);
            assertThat(appender.report().acked()).isEqualTo(1);
        }
        assertThat(cluster.payloads()).containsExactly("0");
    }

    @Test
    void withoutALeaderTheAppenderGivesUpAfterTheRequestTimeoutAndNothingIsWritten() {
        cluster.lead("");
        try (TidemarkClient client = cluster.client(world, "a", "b")) {
            Appender appender = client.openAppender(STREAM);
            CompletableFuture<AppendResult> added = appender.add(LogRecord.of("x"));
            assertThatThrownBy(() -> Futures.join(added)).isInstanceOf(TidemarkException.Unavailable.class);
            assertThat(appender.report().notWritten()).isEqualTo(1);
            assertThat(appender.report().unknown()).isZero();
        }
    }

    @Test
    void closingTheClientBreaksItsAppenders() throws Exception {
        cluster.plan(Fate.hang());
        TidemarkClient client = cluster.client(world, "a");
        Appender appender = client.openAppender(STREAM);
        CompletableFuture<AppendResult> added = appender.add(LogRecord.of("x"));
        cluster.awaitCall("a batch");
        client.close();
        assertThatThrownBy(() -> Futures.join(added)).isInstanceOf(TidemarkException.Indeterminate.class);
        assertThatThrownBy(() -> client.openAppender(STREAM)).isInstanceOf(TidemarkException.Closed.class);
    }

    @Test
    void offsetsThatCannotBeRightBreakTheAppender() {
        cluster.plan(Fate.ack(), Fate.ack());
        try (TidemarkClient client = cluster.client(world, "a")) {
            Appender appender = client.openAppender(STREAM);
            assertThat(appender.add(LogRecord.of("0")).join().baseOffset()).isZero();
            cluster.loseEverything();
            CompletableFuture<AppendResult> second = appender.add(LogRecord.of("1"));
            assertThatThrownBy(() -> Futures.join(second))
                    .isInstanceOfSatisfying(
                            TidemarkException.Indeterminate.class,
                            failure -> assertThat(failure.reason()).isEqualTo(Reason.INTERNAL));
        }
    }
}
