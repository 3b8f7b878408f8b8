package tidemark.server.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import tidemark.engine.proto.Append;
import tidemark.engine.proto.Command;
import tidemark.engine.proto.Entry;
import tidemark.server.raft.HostedGroup;
import tidemark.server.raft.ProposalException;
import tidemark.server.raft.ProposalException.Kind;
import tidemark.statemachine.format.Batch;
import tidemark.statemachine.machine.Machine;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.Outcome;
import tidemark.statemachine.model.StreamId;

/** The batcher over a group whose entries wait until the test says what becomes of them; callbacks run when the test says so. */
class BatcherTest {
    private static final StreamId STREAM = new StreamId(new UUID(7, 7));
    private static final BatchLimits LIMITS = new BatchLimits(2, 1000, 100, 2000, 3000);

    private final FakeGroup group = new FakeGroup();
    private final ArrayDeque<Runnable> callbacks = new ArrayDeque<>();
    private final FakeTime time = new FakeTime();
    private final Batchers batchers = new Batchers(LIMITS, time, callbacks::add, BatchMetrics.NONE);
    private final Batcher batcher = batchers.of(group);

    @Test
    void anIdleGroupSendsAtOnceAndTheWindowBoundsWhatIsInFlight() {
        queue("a");
        queue("b");
        queue("c");
        queue("d");

        assertThat(bodies()).containsExactly(List.of("a"), List.of("b"));
    }

    @Test
    void whatWaitedGoesTogetherInOrderWhenAnEntryComesBack() {
        queue("a");
        queue("b");
        List<CompletableFuture<Outcome>> waiting = List.of(append("c"), append("d"), append("e"));

        succeed(0, 10);

        assertThat(bodies()).containsExactly(List.of("a"), List.of("b"), List.of("c", "d", "e"));
        succeed(2, 100);
        assertThat(waiting.stream().map(BatcherTest::offset)).containsExactly(100L, 101L, 102L);
    }

    @Test
    void anEntryCarriesItsTimestampAndEveryFieldOfABatch() {
        time.wall = 1_234;
        ByteBuffer writer = ByteBuffer.wrap(new byte[16]).put(3, (byte) 9).rewind();
        Batch batch =
                new Batch(3, 0, 4, 0xCAFE, ByteBuffer.wrap("body".getBytes(java.nio.charset.StandardCharsets.UTF_8)));
        submit(new Operation.Append(STREAM, batch, OptionalLong.of(5), Optional.of(new Operation.Writer(writer, 77))));

        Entry entry = group.proposed.get(0).entry();
        assertThat(entry.getTimestampMs()).isEqualTo(1_234);
        Command command = entry.getCommands(0);
        assertThat(command.getStreamId().asReadOnlyByteBuffer())
                .isEqualTo(ByteBuffer.allocate(16).putLong(7).putLong(7).flip());
        Append append = command.getAppend();
        assertThat(append.getRecordCount()).isEqualTo(3);
        assertThat(append.getUncompressedBytes()).isEqualTo(4);
        assertThat(append.getCrc32C()).isEqualTo(0xCAFE);
        assertThat(append.getBody().toStringUtf8()).isEqualTo("body");
        assertThat(append.getExpectedEnd()).isEqualTo(5);
        assertThat(append.getWriterId().asReadOnlyByteBuffer()).isEqualTo(writer);
        assertThat(append.getSequence()).isEqualTo(77);
    }

    @Test
    void otherOperationsKeepTheirPlaceInTheOrder() {
        queue("a");
        queue("b");
        submit(new Operation.Open(STREAM));
        queue("c");
        submit(new Operation.Truncate(STREAM, 4, OptionalLong.of(2)));
        submit(new Operation.Seal(STREAM));

        succeed(0, 0);

        assertThat(group.proposed.get(2).entry().getCommandsList())
                .extracting(Command::getKindCase)
                .containsExactly(
                        Command.KindCase.OPEN,
                        Command.KindCase.APPEND,
                        Command.KindCase.TRUNCATE,
                        Command.KindCase.SEAL);
        assertThat(group.proposed.get(2).entry().getCommands(2).getTruncate().getBeforeOffset())
                .isEqualTo(4);
        assertThat(group.proposed.get(2).entry().getCommands(2).getTruncate().getExpectedStart())
                .isEqualTo(2);
    }

    @Test
    void aFailedEntryFailsItsOwnOperationsOnly() {
        CompletableFuture<Outcome> first = append("a");
        CompletableFuture<Outcome> second = append("b");

        group.proposed.get(0).fail(Kind.INDETERMINATE);
        succeed(1, 5);

        assertThat(failure(first)).isEqualTo(Kind.INDETERMINATE);
        assertThat(offset(second)).isEqualTo(5);
    }

    @Test
    void nothingOfALaneIsWrittenOnceOneBeforeItFailed() {
        Lane session = new Lane();
        queue("a", session);
        queue("other");
        CompletableFuture<Outcome> second = append("b", session);
        CompletableFuture<Outcome> independent = append("c");

        group.proposed.get(0).fail(Kind.NOT_LEADER);
        runCallbacks();

        assertThat(bodies()).containsExactly(List.of("a"), List.of("other"), List.of("c"));
        assertThat(thrown(second)).isInstanceOf(AbandonedException.class);
        succeed(2, 0);
        assertThat(offset(independent)).isZero();
    }

    /** The failure is known to Raft, but its callback has not run yet. */
    @Test
    void nothingIsProposedBehindAnEntryThatHasFailedAlready() {
        Lane session = new Lane();
        queue("a", session);
        group.proposed.get(0).fail(Kind.INDETERMINATE);

        CompletableFuture<Outcome> second = append("b", session);

        assertThat(bodies()).containsExactly(List.of("a"));
        runCallbacks();
        assertThat(bodies()).containsExactly(List.of("a"));
        assertThat(thrown(second)).isInstanceOf(AbandonedException.class);
    }

    @Test
    void nothingIsProposedInANewTermWhileAnEntryOfAnOlderOneIsInFlight() {
        queue("a");
        group.term = 3;
        queue("b");
        assertThat(bodies()).containsExactly(List.of("a"));

        succeed(0, 0);

        assertThat(bodies()).containsExactly(List.of("a"), List.of("b"));
    }

    @Test
    void whatNobodyWaitsForAnyMoreIsDroppedUnwritten() {
        queue("a");
        queue("b");
        AtomicBoolean abandoned = new AtomicBoolean();
        CompletableFuture<Outcome> dropped = batcher.submit(operation("c"), abandoned::get);
        queue("d");
        abandoned.set(true);

        succeed(0, 0);

        assertThat(bodies()).containsExactly(List.of("a"), List.of("b"), List.of("d"));
        assertThat(thrown(dropped))
                .isInstanceOf(AbandonedException.class)
                .hasMessageContaining("before the operation's turn");
    }

    @Test
    void aFullGroupRefusesWithoutEffectAndTakesMoreOnceThereIsRoom() {
        String large = "x".repeat(900);
        CompletableFuture<Outcome> first = append(large);
        queue(large);

        CompletableFuture<Outcome> refused = append(large);

        assertThat(failure(refused)).isEqualTo(Kind.OVERLOADED);
        assertThat(group.proposed).hasSize(2);
        succeed(0, 0);
        assertThat(first).isCompleted();
        queue(large);
        assertThat(group.proposed).hasSize(3);
    }

    @Test
    void aFullServerRefusesForAllGroups() {
        FakeGroup other = new FakeGroup() {
            @Override
            public GroupId id() {
                return new GroupId(new UUID(1, 2));
            }
        };
        queue("x".repeat(900));
        queue("x".repeat(900));
        batchers.of(other).submit(operation("x".repeat(850)), () -> false).isDone();

        CompletableFuture<Outcome> refused = batchers.of(other).submit(operation("x".repeat(900)), () -> false);

        assertThat(failure(refused)).isEqualTo(Kind.OVERLOADED);
    }

    @Test
    void nothingStaysAccountedForOnceAllIsAnswered() {
        queue("a");
        queue("b");
        queue("c");
        batcher.submit(operation("gone"), () -> true).isDone();
        group.proposed.get(0).fail(Kind.CLOSED);
        succeed(1, 0);
        succeed(2, 0);

        assertThat(batchers.pendingBytes()).isZero();
        assertThat(batcher.pendingBytes()).isZero();
    }

    @Test
    void barriersThatWaitTogetherShareOneEntry() {
        queue("a");
        queue("b");
        CompletableFuture<Void> first = batcher.barrier();
        CompletableFuture<Void> second = batcher.barrier();
        assertThat(group.proposed).hasSize(2);

        succeed(0, 0);

        assertThat(group.proposed).hasSize(3);
        assertThat(group.proposed.get(2).entry().getCommandsList())
                .extracting(Command::getKindCase)
                .containsExactly(Command.KindCase.BARRIER);
        assertThat(first).isNotDone();
        succeed(2, 0);
        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
    }

    @Test
    void aBarrierNeedsNoCommandOfItsOwnWhereAnEntryGoesAnyway() {
        queue("a");
        queue("b");
        queue("c");
        CompletableFuture<Void> barrier = batcher.barrier();

        succeed(0, 0);
        succeed(2, 0);

        assertThat(bodies()).containsExactly(List.of("a"), List.of("b"), List.of("c"));
        assertThat(barrier).isCompleted();
    }

    @Test
    void anEntryThatWasProposedBeforeABarrierWasAskedForDoesNotServeIt() {
        queue("a");
        CompletableFuture<Void> barrier = batcher.barrier();

        succeed(0, 0);

        assertThat(barrier).isNotDone();
        group.proposed.get(1).fail(Kind.NOT_LEADER);
        runCallbacks();
        assertThat(barrier).isCompletedExceptionally();
    }

    @Test
    void aProposalThatThrowsFailsItsOperationsAndLeavesTheBatcherAlive() {
        CompletableFuture<Outcome> broken = batchersOf(new BrokenGroup()).submit(operation("a"), () -> false);
        runCallbacks();

        assertThat(thrown(broken)).hasMessage("a defect");
    }

    @Test
    void anEntryWithAWrongNumberOfOutcomesFails() {
        CompletableFuture<Outcome> first = append("a");
        group.proposed.get(0).outcome().complete(List.of());
        runCallbacks();

        assertThat(thrown(first)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aGroupThatWasStartedAnewGetsABatcherOfItsOwn() {
        FakeGroup restarted = new FakeGroup();

        assertThat(batchers.of(group)).isSameAs(batcher);
        assertThat(batchers.of(restarted)).isNotSameAs(batcher);
    }

    /** Many threads submit while entries come back from others: each thread's operations keep their order, none is lost. */
    @Test
    void orderIsKeptForEachOfManyThreads() throws InterruptedException {
        int threads = 4;
        int each = 500;
        ConcurrentLinkedQueue<String> log = new ConcurrentLinkedQueue<>();
        Batchers concurrent = new Batchers(
                new BatchLimits(3, 1000, 100, 1 << 30, 1 << 30),
                time,
                task -> new Thread(task).start(),
                BatchMetrics.NONE);
        Batcher shared = concurrent.of(new LoggingGroup(log));
        CountDownLatch done = new CountDownLatch(threads * each);
        List<Thread> running = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            String name = "t" + t + "-";
            Thread thread = new Thread(() -> {
                for (int i = 0; i < each; i++) {
                    Futures.whenDone(
                            shared.submit(operation(name + i), () -> false), (outcome, failure) -> done.countDown());
                }
            });
            thread.start();
            running.add(thread);
        }
        for (Thread thread : running) {
            thread.join();
        }

        assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(log).hasSize(threads * each);
        for (int t = 0; t < threads; t++) {
            String name = "t" + t + "-";
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < each; i++) {
                expected.add(name + i);
            }
            assertThat(log.stream().filter(body -> body.startsWith(name))).containsExactlyElementsOf(expected);
        }
    }

    private Batcher batchersOf(HostedGroup other) {
        return batchers.of(other);
    }

    /** An append whose outcome the test does not look at. */
    private void queue(String body) {
        queue(body, new Lane());
    }

    private void queue(String body, Lane lane) {
        Futures.whenDone(append(body, lane), (outcome, failure) -> {});
    }

    private CompletableFuture<Outcome> append(String body) {
        return append(body, new Lane());
    }

    private CompletableFuture<Outcome> append(String body, Lane lane) {
        return batcher.submit(operation(body), lane, () -> false);
    }

    private void submit(Operation operation) {
        assertThat(batcher.submit(operation, () -> false)).isNotDone();
    }

    private static Operation operation(String body) {
        byte[] bytes = body.getBytes(java.nio.charset.StandardCharsets.UTF_8);
        return new Operation.Append(
                STREAM,
                new Batch(1, 0, bytes.length, 0, ByteBuffer.wrap(bytes)),
                OptionalLong.empty(),
                Optional.empty());
    }

    private void succeed(int entry, long firstOffset) {
        group.proposed.get(entry).succeed(firstOffset);
        runCallbacks();
    }

    private void runCallbacks() {
        for (Runnable callback = callbacks.poll(); callback != null; callback = callbacks.poll()) {
            callback.run();
        }
    }

    private List<List<String>> bodies() {
        return group.proposed.stream().map(proposed -> bodies(proposed.entry())).toList();
    }

    private static List<String> bodies(Entry entry) {
        return entry.getCommandsList().stream()
                .map(command -> command.getAppend().getBody().toStringUtf8())
                .toList();
    }

    private static long offset(CompletableFuture<Outcome> future) {
        assertThat(future).isCompleted();
        return ((Outcome.Appended) future.join()).baseOffset();
    }

    private static Throwable thrown(CompletableFuture<?> future) {
        assertThat(future).isCompletedExceptionally();
        return Futures.unwrapped(future.handle((result, failure) -> failure).join());
    }

    private static Kind failure(CompletableFuture<?> future) {
        assertThat(thrown(future)).isInstanceOf(ProposalException.class);
        return ((ProposalException) thrown(future)).kind();
    }

    private static final class FakeTime implements ServerTime {
        private long wall;
        private final AtomicLong nanos = new AtomicLong();

        @Override
        public long wallMillis() {
            return wall;
        }

        @Override
        public long monotonicNanos() {
            return nanos.incrementAndGet();
        }
    }

    /** Applies at once, on threads of its own. */
    private static class LoggingGroup implements HostedGroup {
        private final ConcurrentLinkedQueue<String> log;

        LoggingGroup(ConcurrentLinkedQueue<String> log) {
            this.log = log;
        }

        @Override
        public GroupId id() {
            return new GroupId(new UUID(2, 2));
        }

        @Override
        public Machine machine() {
            throw new AssertionError("a batcher does not look into machines");
        }

        @Override
        public Leadership leadership() {
            return new Leadership(true, Optional.empty(), 1);
        }

        @Override
        public CompletableFuture<List<Outcome>> propose(byte[] entry) {
            List<Outcome> outcomes = new ArrayList<>();
            try {
                for (String body : bodies(Entry.parseFrom(entry))) {
                    log.add(body);
                    outcomes.add(new Outcome.Done());
                }
            } catch (com.google.protobuf.InvalidProtocolBufferException malformed) {
                throw new AssertionError(malformed);
            }
            return CompletableFuture.supplyAsync(() -> outcomes);
        }

        @Override
        public Registration listen(Runnable listener) {
            throw new AssertionError("a batcher does not listen");
        }
    }

    private static final class BrokenGroup extends LoggingGroup {
        BrokenGroup() {
            super(new ConcurrentLinkedQueue<>());
        }

        @Override
        public CompletableFuture<List<Outcome>> propose(byte[] entry) {
            throw new IllegalStateException("a defect");
        }
    }
}
