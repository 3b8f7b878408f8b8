package tidemark.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tidemark.v1.ReadResponse;
import tidemark.v1.RecordBatch;
import tidemark.v1.StoredRecord;

/** Edges of what is accepted, and the small policies. */
class LimitsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":7420",
                "host:",
                "host:0",
                "host:65536",
                "host:x",
                "a b:1",
                "::1:7420",
                "[::1",
                "a/b:1",
                "host:1,",
                "[::1]x"
            })
    void malformedEndpointIsRefused(String text) {
        assertThatThrownBy(() -> Endpoint.parseList(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void endpointsAreReadAndWrittenAlike() {
        assertThat(Endpoint.parseList("a:1, b ,[::1]:65535,[fe80::1]"))
                .containsExactly(
                        new Endpoint("a", 1),
                        new Endpoint("b", 7420),
                        new Endpoint("::1", 65_535),
                        new Endpoint("fe80::1", 7420));
        assertThat(Endpoint.parse(new Endpoint("::1", 9).toString())).isEqualTo(new Endpoint("::1", 9));
    }

    @Test
    void recordLimitsHoldAtTheirEdges() {
        LogRecord full = LogRecord.builder()
                .payload(new byte[RecordLimits.RECORD_BYTES_MAX - RecordLimits.KEY_BYTES_MAX - 255 - 3])
                .key(new byte[RecordLimits.KEY_BYTES_MAX])
                .header("n".repeat(255), new byte[3])
                .build();
        assertThat(full.sizeBytes()).isEqualTo(RecordLimits.RECORD_BYTES_MAX);
        assertThat(RecordLimits.check("s", List.of(full)))
                .isEqualTo(RecordBatch.newBuilder()
                        .addRecords(full.proto())
                        .build()
                        .getSerializedSize());
        assertTooLarge(
                "key bytes",
                LogRecord.builder()
                        .key(new byte[RecordLimits.KEY_BYTES_MAX + 1])
                        .build());
        assertTooLarge(
                "header name bytes",
                LogRecord.builder().header("é".repeat(128), new byte[0]).build());
        LogRecord.Builder many = LogRecord.builder();
        for (int i = 0; i < 65; i++) {
            many.header("n", new byte[0]);
        }
        assertTooLarge("headers of a record", many.build());
        List<LogRecord> records = Collections.nCopies(RecordLimits.BATCH_RECORDS_MAX, LogRecord.of(""));
        assertThat(RecordLimits.check("s", records)).isPositive();
        assertThatThrownBy(() -> RecordLimits.check("s", Collections.nCopies(65_537, LogRecord.of(""))))
                .isInstanceOf(TidemarkException.TooLarge.class);
        assertThatThrownBy(() -> RecordLimits.check("s", Collections.nCopies(2, LogRecord.of(new byte[600_000]))))
                .isInstanceOfSatisfying(
                        TidemarkException.TooLarge.class,
                        failure -> assertThat(failure.what()).isEqualTo("batch bytes"));
    }

    private static void assertTooLarge(String what, LogRecord record) {
        assertThatThrownBy(() -> RecordLimits.check("s", List.of(record)))
                .isInstanceOfSatisfying(
                        TidemarkException.TooLarge.class,
                        failure -> assertThat(failure.what()).isEqualTo(what));
    }

    @Test
    void keyThatIsEmptyIsNotAbsent() {
        assertThat(LogRecord.builder().key(new byte[0]).build().key()).isPresent();
        assertThat(LogRecord.of("x").key()).isEmpty();
        assertThat(LogRecord.builder()
                        .payload(new byte[] {1})
                        .header("a", new byte[] {2})
                        .build()
                        .headers()
                        .get(0)
                        .valueBytes())
                .containsExactly(2);
    }

    @Test
    void smallBatchesLeaveAtOnceAndLargeOnesWhenFull() {
        BatchPolicy policy = new BatchPolicy(new AppenderOptions(10, 1_000, 4, 1 << 20, true));
        assertThat(policy.leaves(0, 0, 0)).isFalse();
        assertThat(policy.leaves(1, 10, 1)).isTrue();
        assertThat(policy.leaves(9, 999, 2)).isFalse();
        assertThat(policy.leaves(10, 20, 3)).isTrue();
        assertThat(policy.leaves(2, 1_000, 3)).isTrue();
        assertThat(policy.leaves(100, 10_000, 4)).isFalse();
        assertThat(policy.fits(9, 900, 1, 100)).isTrue();
        assertThat(policy.fits(9, 900, 1, 101)).isFalse();
        assertThat(policy.fits(9, 900, 2, 10)).isFalse();
    }

    @Test
    void pausesDoubleUpToTheLongestAndKeepWhatTheServerAsks() {
        try (FakeWorld world = new FakeWorld("none", 0)) {
            ClientOptions options = ClientOptions.defaults().withBackoff(Duration.ofMillis(10), Duration.ofMillis(100));
            Backoff backoff = new Backoff(options, world);
            for (long full : new long[] {10, 20, 40, 80, 100, 100}) {
                assertThat(backoff.nextNanos(0))
                        .isBetween(TimeUnit.MILLISECONDS.toNanos(full) / 2, TimeUnit.MILLISECONDS.toNanos(full));
            }
            for (int i = 0; i < 100; i++) {
                assertThat(backoff.nextNanos(0)).isLessThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(100));
            }
            assertThat(backoff.nextNanos(TimeUnit.SECONDS.toNanos(9))).isEqualTo(TimeUnit.SECONDS.toNanos(9));
            backoff.reset();
            assertThat(backoff.nextNanos(0)).isLessThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    private static ReadResponse message(long first, int count) {
        ReadResponse.Builder message =
                ReadResponse.newBuilder().setEndOffset(100).setNextOffset(first + count);
        for (int i = 0; i < count; i++) {
            message.addRecords(StoredRecord.newBuilder()
                    .setOffset(first + i)
                    .setRecord(LogRecord.of("12345").proto()));
        }
        return message.build();
    }

    @Test
    void byteLimitHoldsOverSeveralCallsThoughEachMayPassOneRecord() {
        ReadCursor cursor = new ReadCursor(
                "s", ReadOptions.builder(LogPosition.start()).maxBytes(12).build());
        Endpoint server = new Endpoint("a", 1);
        assertThat(cursor.accept(message(0, 2), server).bytes()).isEqualTo(10);
        assertThat(cursor.nothingLeft()).isFalse();
        assertThat(cursor.request().getMaxBytes()).isEqualTo(2);
        assertThat(cursor.accept(message(2, 1), server).records()).isEmpty();
        assertThat(cursor.done()).isTrue();
        assertThat(cursor.progress().nextOffset()).isEqualTo(2);
    }

    @Test
    void gapAndRepeatAreDefectsOfTheServer() {
        Endpoint server = new Endpoint("a", 1);
        ReadCursor cursor = new ReadCursor("s", ReadOptions.from(LogPosition.offset(3)));
        assertThatThrownBy(() -> cursor.accept(message(4, 1), server))
                .isInstanceOf(TidemarkException.ServerDefect.class);
        assertThat(cursor.accept(message(3, 2), server).records()).hasSize(2);
        assertThatThrownBy(() -> cursor.accept(message(4, 1), server))
                .isInstanceOf(TidemarkException.ServerDefect.class);
        assertThatThrownBy(() -> cursor.accept(message(9, 0), server))
                .isInstanceOf(TidemarkException.ServerDefect.class);
    }

    @Test
    void optionsOutOfRangeAreRefused() {
        assertThatThrownBy(() -> AppenderOptions.defaults().withMaxBatchesInFlight(65))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> AppenderOptions.defaults().withBatchLimits(65_537, 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ClientOptions.defaults().withRequestTimeout(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ClientOptions.defaults().withBackoff(Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ReadOptions.builder(LogPosition.start()).bufferBytes(0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> TidemarkClient.connect(List.of(), ClientOptions.defaults()))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
