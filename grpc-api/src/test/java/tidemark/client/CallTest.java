package tidemark.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tidemark.client.FakeCluster.Fate;
import tidemark.v1.Effect;
import tidemark.v1.ErrorReason;

/** Calls with one answer: which server they ask, what they repeat, and what they say in the end. */
@Timeout(30)
class CallTest {
    private static final String STREAM = "orders";

    private final FakeCluster cluster = new FakeCluster("a", "b", "c");
    private final FakeWorld world = new FakeWorld(cluster.namespace, TimeUnit.SECONDS.toNanos(2));

    @AfterEach
    void stop() {
        cluster.close();
        world.close();
    }

    private static LogRecord record(String payload) {
        return LogRecord.of(payload);
    }

    private List<String> calls(String kind) {
        return cluster.calls().stream().filter(call -> call.contains(kind)).toList();
    }

    // ---- routing

    @Test
    void appendsTakeOneHopOnceTheLeaderIsKnown() {
        cluster.lead("c");
        try (TidemarkClient client = cluster.client(world, "a", "b", "c")) {
            assertThat(client.append(STREAM, record("x"))).isEqualTo(new AppendResult(0, 1, 1_000, 3));
            assertThat(client.append(STREAM, record("y"), record("z")).endOffset())
                    .isEqualTo(3);
        }
        assertThat(calls("append")).containsExactly("a append direct", "c append direct", "c append direct");
        assertThat(cluster.payloads()).containsExactly("x", "y", "z");
    }

    @Test
    void appendFollowsTheLeaderWhenItMoves() {
        try (TidemarkClient client = cluster.client(world, "a", "b", "c")) {
            assertThat(client.append(STREAM, record("x")).baseOffset()).isZero();
            cluster.lead("b");
            assertThat(client.append(STREAM, record("y")).baseOffset()).isEqualTo(1);
            assertThat(client.append(STREAM, record("z")).baseOffset()).isEqualTo(2);
        }
        assertThat(calls("append"))
                .containsExactly("a append direct", "a append direct", "b append direct", "b append direct");
    }

    @Test
    void leaderThatCannotBeReachedFromHereIsReachedThroughOthers() {
        cluster.lead("b");
        cluster.server("a").leaderHintEndpoint = "unroutable:9";
        try (TidemarkClient client = cluster.client(world, "a")) {
            assertThat(client.append(STREAM, record("x")).baseOffset()).isZero();
            assertThat(client.append(STREAM, record("y")).baseOffset()).isEqualTo(1);
        }
        assertThat(calls("append")).contains("a append forward").doesNotContain("b append direct");
        assertThat(cluster.payloads()).containsExactly("x", "y");
    }

    @Test
    void unroutableLeaderIsLeftAloneForAWhile() {
        cluster.lead("b");
        cluster.server("a").leaderHintEndpoint = "unroutable:9";
        try (TidemarkClient client = cluster.client(world, "a")) {
            for (int i = 0; i < 20; i++) {
                assertThat(client.append(STREAM, record("x")).baseOffset()).isEqualTo(i);
            }
        }
        assertThat(calls("append forward")).hasSize(20);
        assertThat(calls("append direct")).hasSizeLessThanOrEqualTo(3);
    }

    @Test
    void garbledLeaderHintOnlyCostsAHop() {
        cluster.lead("b");
        cluster.server("a").leaderHintEndpoint = "not an endpoint";
        try (TidemarkClient client = cluster.client(world, "a")) {
            assertThat(client.append(STREAM, record("x")).baseOffset()).isZero();
        }
        assertThat(calls("append")).containsExactly("a append direct", "a append forward");
    }

    @Test
    void serversThatPointAtEachOtherAreAskedToForward() {
        cluster.lead("c");
        cluster.server("a").leaderHintEndpoint = "b:1";
        cluster.server("b").leaderHintEndpoint = "a:1";
        try (TidemarkClient client = cluster.client(world, "a", "b")) {
            assertThat(client.append(STREAM, record("x")).baseOffset()).isZero();
        }
        assertThat(calls("append"))
                .hasSizeLessThanOrEqualTo(4)
                .last()
                .asString()
                .endsWith("forward");
    }

    @Test
    void seedThatIsDownIsPassedOver() {
        cluster.server("a").kill();
        cluster.lead("b");
        try (TidemarkClient client = cluster.client(world, "a", "b")) {
            assertThat(client.append(STREAM, record("x")).baseOffset()).isZero();
        }
        assertThat(calls("append")).containsExactly("b append direct");
    }

    @Test
    void membersAreLearnedFromOneSeedAndUsedWhenItDies() {
        ClientCore core = new ClientCore(List.of(FakeCluster.endpoint("a")), ClientOptions.defaults(), world);
        try (TidemarkClient client = new GrpcClient(core)) {
            assertThat(client.append(STREAM, record("x")).baseOffset()).isZero();
            assertThat(calls("describe")).isEmpty();
            assertThat(client.append(STREAM, record("y")).baseOffset()).isEqualTo(1);
            while (core.router().any(Set.of(FakeCluster.endpoint("a")), world.nanoTime()) == null) {
                Thread.onSpinWait(); // learned in the background
            }
            cluster.server("a").kill();
            cluster.lead("c");
            assertThat(client.tail(STREAM).serverId()).isEqualTo("c");
        }
    }

    @Test
    void seedIsPreferredToWhatItsServerAdvertises() {
        cluster.advertised.put("a", "inside-a:1");
        cluster.advertised.put("b", "inside-b:1");
        cluster.server("a").leaderHintEndpoint = "inside-b:1";
        ClientCore core = new ClientCore(
                List.of(FakeCluster.endpoint("a"), FakeCluster.endpoint("b")), ClientOptions.defaults(), world);
        try (TidemarkClient client = new GrpcClient(core)) {
            assertThat(client.append(STREAM, record("x")).baseOffset()).isZero();
            assertThat(client.append(STREAM, record("y")).baseOffset()).isEqualTo(1);
            while (!FakeCluster.endpoint("b").equals(core.router().endpointOf("b"))) {
                Thread.onSpinWait(); // learned in the background
            }
            cluster.lead("b");
            assertThat(client.append(STREAM, record("z")).baseOffset()).isEqualTo(2);
        }
        assertThat(calls("append")).endsWith("a append direct", "b append direct");
    }

    // ---- repetition

    @Test
    void appendThatMayHaveBeenWrittenIsNotRepeated() {
        for (Fate fate : List.of(Fate.loseAnswer(), Fate.loseRequest(), Fate.fail(Errors.indeterminate()))) {
            cluster.plan(fate);
            try (TidemarkClient client = cluster.client(new FakeWorld(cluster.namespace, Long.MAX_VALUE), "a")) {
                TidemarkException failure =
                        catchThrowableOfType(TidemarkException.class, () -> client.append(STREAM, record("x")));
                assertThat(failure).isInstanceOf(TidemarkException.Indeterminate.class);
                assertThat(failure.stream()).isEqualTo(STREAM);
            }
        }
        assertThat(calls("append")).hasSize(3);
        assertThat(cluster.payloads()).containsExactly("x");
    }

    @Test
    void appendThatIsDefinitelyNotWrittenIsRepeated() {
        cluster.plan(
                Fate.fail(Errors.noLeader()),
                Fate.fail(Errors.overloaded(0)),
                Fate.fail(Errors.of(
                        Status.Code.UNAVAILABLE, ErrorReason.ERROR_REASON_SHUTTING_DOWN, Effect.EFFECT_NONE)));
        try (TidemarkClient client = cluster.client(world, "a")) {
            assertThat(client.append(STREAM, record("x")).baseOffset()).isZero();
        }
        assertThat(calls("append")).hasSize(4);
        assertThat(cluster.payloads()).containsExactly("x");
    }

    @Test
    void refusalThatLeavesTheEffectOpenIsNotRepeated() {
        cluster.plan(Fate.fail(Errors.of(
                Status.Code.UNAVAILABLE, ErrorReason.ERROR_REASON_SHUTTING_DOWN, Effect.EFFECT_INDETERMINATE)));
        try (TidemarkClient client = cluster.client(world, "a")) {
            assertThatThrownBy(() -> client.append(STREAM, record("x")))
                    .isInstanceOfSatisfying(
                            TidemarkException.Indeterminate.class,
                            failure -> assertThat(failure.reason()).isEqualTo(Reason.SHUTTING_DOWN));
        }
        assertThat(calls("append")).hasSize(1);
    }

    @Test
    void conditionalAppendIsRepeatedAndWrittenOnce() {
        cluster.plan(Fate.loseRequest(), Fate.fail(Errors.indeterminate()));
        try (TidemarkClient client = cluster.client(world, "a")) {
            assertThat(client.append(STREAM, List.of(record("x")), OptionalLong.of(0))
                            .endOffset())
                    .isEqualTo(1);
        }
        assertThat(cluster.payloads()).containsExactly("x");
    }

    @Test
    void conflictAfterALostAnswerIsIndeterminateSinceItMayBeOurOwn() {
        cluster.plan(Fate.loseAnswer());
        try (TidemarkClient client = cluster.client(world, "a")) {
            assertThatThrownBy(() -> client.append(STREAM, List.of(record("x")), OptionalLong.of(0)))
                    .isInstanceOf(TidemarkException.Indeterminate.class)
                    .hasCauseInstanceOf(TidemarkException.EndConflict.class);
        }
        assertThat(cluster.payloads()).containsExactly("x");
    }

    @Test
    void conflictAtOnceIsAConflictWithItsFacts() {
        cluster.fill(5);
        try (TidemarkClient client = cluster.client(world, "a")) {
            assertThatThrownBy(() -> client.append(STREAM, List.of(record("x")), OptionalLong.of(3)))
                    .isInstanceOfSatisfying(TidemarkException.EndConflict.class, conflict -> {
                        assertThat(conflict.expectedEnd()).isEqualTo(3);
                        assertThat(conflict.actualEnd()).isEqualTo(5);
                        assertThat(conflict.lastTimestampMs()).isEqualTo(7);
                    });
        }
    }

    @Test
    void readsAreRepeatedWhateverHappens() {
        cluster.plan(Fate.loseAnswer(), Fate.fail(Errors.noLeader()), Fate.loseRequest());
        cluster.fill(4);
        try (TidemarkClient client = cluster.client(world, "a")) {
            assertThat(client.tail(STREAM).endOffset()).isEqualTo(4);
        }
    }

    @Test
    void truncationToAnOffsetIsRepeatedAndToTheEndIsNot() {
        cluster.fill(4);
        try (TidemarkClient client = cluster.client(world, "a")) {
            cluster.plan(Fate.loseAnswer());
            TruncateResult result = client.truncate(STREAM, LogPosition.offset(2));
            assertThat(result.startOffset()).isEqualTo(2);
            cluster.plan(Fate.loseAnswer());
            assertThatThrownBy(() -> client.truncate(STREAM, LogPosition.end()))
                    .isInstanceOf(TidemarkException.Indeterminate.class);
        }
        assertThat(calls("truncate")).hasSize(3);
    }

    @Test
    void dryRunChangesNothingAndIsRepeated() {
        cluster.fill(4);
        cluster.plan(Fate.loseAnswer());
        try (TidemarkClient client = cluster.client(world, "a")) {
            assertThat(client.truncate(STREAM, LogPosition.end(), true, OptionalLong.empty())
                            .removedRecords())
                    .isEqualTo(4);
        }
        assertThat(cluster.start()).isZero();
    }

    @Test
    void createRepeatedAfterALostAnswerFindsItsOwnStream() {
        cluster.plan(Fate.loseAnswer());
        try (TidemarkClient client = cluster.client(world, "a")) {
            CreateResult created = client.createStream(
                    STREAM, StreamSettings.defaults().withReplicas(3).withMaxRecordBytes(10));
            assertThat(created.created()).isFalse();
            assertThat(created.stream().settings().replicas()).isEqualTo(3);
        }
    }

    @Test
    void deleteRepeatedAfterALostAnswerSucceeds() {
        try (TidemarkClient client = cluster.client(world, "a")) {
            assertThat(client.createStream(STREAM, StreamSettings.defaults()).created())
                    .isTrue();
            cluster.plan(Fate.loseAnswer());
            client.deleteStream(STREAM);
            assertThatThrownBy(() -> client.deleteStream(STREAM)).isInstanceOf(TidemarkException.StreamNotFound.class);
        }
        assertThat(calls("delete")).hasSize(3).allMatch(call -> call.endsWith("id-of-" + STREAM));
    }

    // ---- time

    @Test
    void overloadedServerIsLeftAloneAsLongAsItAsks() throws Exception {
        cluster.plan(Fate.fail(Errors.overloaded(7)));
        try (TidemarkClient client = cluster.client(world, "a")) {
            CompletableFuture<AppendResult> append = client.appendAsync(STREAM, record("x"));
            assertThat(world.awaitTask(TimeUnit.SECONDS.toNanos(3))).isEqualTo(TimeUnit.SECONDS.toNanos(7));
            assertThat(calls("append")).hasSize(1);
            world.advance(TimeUnit.SECONDS.toNanos(7));
            assertThat(append.get().baseOffset()).isZero();
        }
    }

    @Test
    void overloadThatLastsLongerThanThePatienceIsSaidAtOnce() {
        cluster.plan(Fate.fail(Errors.overloaded(60)));
        try (TidemarkClient client = cluster.client(world, "a")) {
            assertThatThrownBy(() -> client.append(STREAM, record("x")))
                    .isInstanceOfSatisfying(
                            TidemarkException.Overloaded.class,
                            overloaded -> assertThat(overloaded.retryAfter()).isEqualTo(Duration.ofSeconds(60)));
        }
    }

    @Test
    void withoutALeaderTheCallEndsWithTheRequestTimeout() {
        cluster.lead("");
        long before = world.nanoTime();
        try (TidemarkClient client = cluster.client(world, "a", "b", "c")) {
            assertThatThrownBy(() -> client.append(STREAM, record("x")))
                    .isInstanceOfSatisfying(
                            TidemarkException.Unavailable.class,
                            failure -> assertThat(failure.reason()).isEqualTo(Reason.NO_LEADER));
        }
        assertThat(world.nanoTime() - before).isBetween(TimeUnit.SECONDS.toNanos(28), TimeUnit.SECONDS.toNanos(30));
    }

    @Test
    void withoutAnyServerTheCallSaysThatNothingWasWritten() {
        try (TidemarkClient client = cluster.client(world, "nowhere", "neither")) {
            assertThatThrownBy(() -> client.append(STREAM, record("x")))
                    .isInstanceOfSatisfying(
                            TidemarkException.Unavailable.class,
                            failure -> assertThat(failure.reason()).isEqualTo(Reason.UNREACHABLE));
        }
    }

    @Test
    void appendThatIsNotAnsweredInTimeIsIndeterminate() {
        cluster.plan(Fate.hang());
        ClientOptions hasty = ClientOptions.defaults().withRequestTimeout(Duration.ofMillis(50));
        try (TidemarkClient client = cluster.client(world, hasty, "a")) {
            assertThatThrownBy(() -> client.append(STREAM, record("x")))
                    .isInstanceOfSatisfying(
                            TidemarkException.Indeterminate.class,
                            failure -> assertThat(failure.reason()).isEqualTo(Reason.TIMEOUT));
        }
    }

    @Test
    void serverThatHangsDoesNotHoldUpWhatCanBeRepeated() {
        cluster.plan(Fate.hang());
        ClientOptions hasty = ClientOptions.defaults().withAttemptTimeout(Duration.ofMillis(50));
        try (TidemarkClient client = cluster.client(world, hasty, "a", "b")) {
            assertThat(client.tail(STREAM).endOffset()).isZero();
        }
        assertThat(calls("tail")).hasSizeGreaterThanOrEqualTo(2);
    }

    @Test
    void closingTheClientEndsCallsThatWait() throws Exception {
        cluster.lead("");
        FakeWorld patient = new FakeWorld(cluster.namespace, 0);
        TidemarkClient client = cluster.client(patient, "a");
        CompletableFuture<AppendResult> append = client.appendAsync(STREAM, record("x"));
        assertThat(patient.awaitTask(1)).isPositive();
        client.close();
        assertThatThrownBy(() -> Futures.join(append)).isInstanceOf(TidemarkException.Closed.class);
        assertThatThrownBy(() -> client.append(STREAM, record("y"))).isInstanceOf(TidemarkException.Closed.class);
    }

    @Test
    void closingTheClientLeavesASentAppendIndeterminate() throws Exception {
        cluster.plan(Fate.hang());
        TidemarkClient client = cluster.client(world, "a");
        CompletableFuture<AppendResult> append = client.appendAsync(STREAM, record("x"));
        cluster.awaitCall("a append direct");
        client.close();
        assertThatThrownBy(() -> Futures.join(append)).isInstanceOf(TidemarkException.Indeterminate.class);
    }

    // ---- input

    @Test
    void badRecordsAreRefusedBeforeAnythingIsSent() {
        try (TidemarkClient client = cluster.client(world, "a")) {
            assertThatThrownBy(() -> client.append(STREAM)).isInstanceOf(TidemarkException.InvalidRequest.class);
            assertThatThrownBy(() -> client.append(STREAM, LogRecord.of(new byte[1_000_001])))
                    .isInstanceOfSatisfying(TidemarkException.TooLarge.class, failure -> {
                        assertThat(failure.what()).isEqualTo("record bytes");
                        assertThat(failure.actual()).isEqualTo(1_000_001);
                        assertThat(failure.limit()).isEqualTo(1_000_000);
                    });
        }
        assertThat(cluster.calls()).isEmpty();
    }
}
