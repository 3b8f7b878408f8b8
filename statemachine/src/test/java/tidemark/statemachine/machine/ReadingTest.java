package tidemark.statemachine.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static tidemark.statemachine.env.Seeds.forAllSeeds;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import tidemark.statemachine.env.FakeFileSystem;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.format.StoredBatch;
import tidemark.statemachine.model.StreamId;
import tidemark.statemachine.read.ReadCursor;
import tidemark.statemachine.read.ReadResult;
import tidemark.statemachine.segment.Layout;

/** Reading from every offset and time, with indexes in every state, and beside the applier. */
class ReadingTest {
    private static final StreamId STREAM = Entries.stream(0);

    @Test
    void everyOffsetAndTimeIsFoundWhateverStateTheIndexesAreIn() {
        forAllSeeds(20, random -> {
            RandomLog log = new RandomLog(random, 1, false).add(40);
            Replica replica = new Replica(new FakeFileSystem(), log.entries());
            for (int applied = 10; applied <= 40; applied += 10) {
                replica.applyUpTo(applied);
                assertAllFound(replica.machine(), log.modelAfter(applied).stream(STREAM));
                replica.machine().sync();
                replica.machine().checkpoint();
                if (random.nextBoolean()) {
                    replica.machine().close();
                    spoilIndexes(replica.files, random);
                    replica.reopen();
                }
                assertAllFound(replica.machine(), log.modelAfter(applied).stream(STREAM));
            }
        });
    }

    private static void assertAllFound(GroupMachine machine, ModelMachine.Stream model) throws StorageException {
        ReadCursor cursor = machine.cursor(STREAM, 0);
        for (long offset = model.start; offset < model.end; offset++) {
            cursor.seek(offset);
            ReadResult.Batches read = (ReadResult.Batches) cursor.next(1);
            StoredBatch first = read.batches().get(0);
            assertThat(first).isEqualTo(holding(model, offset));
        }
        StreamView view = machine.stream(STREAM).orElseThrow();
        for (long time = 900; time < model.lastTimestampMs + 5; time++) {
            assertThat(view.offsetAtTime(time)).as("time %s", time).isEqualTo(firstAtOrAfter(model, time));
        }
    }

    private static StoredBatch holding(ModelMachine.Stream model, long offset) {
        return model.batches.stream()
                .filter(batch -> batch.baseOffset() <= offset && offset < batch.endOffset())
                .findFirst()
                .orElseThrow();
    }

    private static long firstAtOrAfter(ModelMachine.Stream model, long time) {
        return model.readable().stream()
                .filter(batch -> batch.timestampMs() >= time)
                .mapToLong(batch -> Math.max(batch.baseOffset(), model.start))
                .findFirst()
                .orElse(model.end);
    }

    /** Of each index file: deletes it, damages it, cuts it, puts another one's bytes into it, or leaves it. */
    private static void spoilIndexes(FakeFileSystem files, SplittableRandom random) throws StorageException {
        String directory = Replica.LAYOUT.stream(STREAM);
        List<byte[]> all = new ArrayList<>();
        for (String name : files.list(directory)) {
            if (Layout.parseIndex(name).isEmpty()) {
                continue;
            }
            String path = directory + "/" + name;
            byte[] bytes = files.contents(path);
            all.add(bytes);
            switch (random.nextInt(5)) {
                case 0 -> files.delete(path);
                case 1 -> files.flipBit(path, random.nextInt(bytes.length), random.nextInt(8));
                case 2 -> files.put(path, java.util.Arrays.copyOf(bytes, random.nextInt(bytes.length)));
                case 3 -> files.put(path, all.get(random.nextInt(all.size())));
                default -> {}
            }
        }
    }

    @Test
    void indexFilesAreWrittenForClosedSegments() throws Exception {
        RandomLog log = new RandomLog(new SplittableRandom(1), 1, false).addAppends(40);
        Replica replica = new Replica(new FakeFileSystem(), log.entries());
        replica.applyUpTo(20);
        replica.machine().checkpoint();
        replica.reopen();
        replica.applyUpTo(40);
        replica.machine().sync();
        List<String> names = replica.files.list(Replica.LAYOUT.stream(STREAM));
        long segments = names.stream().filter(name -> name.endsWith(".seg")).count();
        long indexes = names.stream().filter(name -> name.endsWith(".idx")).count();
        assertThat(segments).isGreaterThan(4);
        // Those closed before the restart without a sync are indexed in memory when they are read.
        assertThat(indexes).isBetween(segments / 3, segments - 1);
    }

    @Test
    void aCursorSeesWhatIsAppendedWithoutBeingOpenedAgain() throws Exception {
        RandomLog log = new RandomLog(new SplittableRandom(2), 1, false).add(60);
        Replica replica = new Replica(new FakeFileSystem(), log.entries());
        replica.applyUpTo(1);
        ReadCursor cursor = replica.machine().cursor(STREAM, 0);
        List<StoredBatch> read = new ArrayList<>();
        for (int applied = 1; applied <= 60; applied++) {
            replica.applyUpTo(applied);
            ReadResult result = cursor.next(1_000);
            while (result instanceof ReadResult.Batches batches) {
                read.addAll(batches.batches());
                result = cursor.next(1_000);
            }
            if (result instanceof ReadResult.Truncated truncated) {
                cursor.seek(truncated.startOffset());
            }
        }
        assertThat(log.modelAfter(60).stream(STREAM).batches).containsSubsequence(read);
    }

    @Test
    void aReaderBesideTheApplierSeesAPrefixAndInTheEndAll() throws Exception {
        int entries = 3_000;
        RandomLog log = new RandomLog(new SplittableRandom(3), 1, false).add(1).addAppends(entries - 1);
        Replica replica = new Replica(new FakeFileSystem(), log.entries());
        replica.applyUpTo(1);
        AtomicBoolean done = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try {
            List<Future<List<StoredBatch>>> readers = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                readers.add(threads.submit(() -> readWhile(replica.machine(), done)));
            }
            Future<?> syncer = threads.submit(() -> {
                while (!done.get()) {
                    replica.machine().sync();
                }
                return null;
            });
            for (RandomLog.Logged logged : log.entries().subList(1, entries)) {
                replica.machine().apply(logged.at(), Entries.bytes(logged.entry()));
                if (logged.at().index() % 100 == 0) {
                    replica.machine().checkpoint();
                }
            }
            done.set(true);
            syncer.get();
            List<StoredBatch> expected = log.modelAfter(entries).stream(STREAM).batches;
            for (Future<List<StoredBatch>> reader : readers) {
                assertThat(reader.get()).isEqualTo(expected);
            }
        } finally {
            done.set(true);
            threads.shutdownNow();
        }
    }

    /** Reads on until there is no more after the applier has ended; what comes must follow on each other. */
    private static List<StoredBatch> readWhile(GroupMachine machine, AtomicBoolean done) throws StorageException {
        List<StoredBatch> all = new ArrayList<>();
        ReadCursor cursor = machine.cursor(STREAM, 0);
        while (true) {
            boolean last = done.get();
            long endBefore = machine.stream(STREAM).orElseThrow().endOffset();
            ReadResult result = cursor.next(2_000);
            if (result instanceof ReadResult.Batches batches) {
                all.addAll(batches.batches());
            } else {
                assertThat(result.kind()).isEqualTo(ReadResult.Kind.AT_END);
                assertThat(cursor.nextOffset()).isGreaterThanOrEqualTo(endBefore);
                if (last) {
                    return all;
                }
            }
        }
    }
}
