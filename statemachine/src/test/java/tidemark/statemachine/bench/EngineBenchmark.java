package tidemark.statemachine.bench;

import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.UUID;
import tidemark.engine.proto.Command;
import tidemark.engine.proto.Entry;
import tidemark.statemachine.env.RealFileSystem;
import tidemark.statemachine.machine.Entries;
import tidemark.statemachine.machine.GroupMachine;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.LogPosition;
import tidemark.statemachine.model.StreamId;
import tidemark.statemachine.read.ReadCursor;
import tidemark.statemachine.read.ReadResult;
import tidemark.statemachine.segment.EngineLimits;
import tidemark.statemachine.segment.Layout;

/**
 * Bytes a second through one machine on one thread: applied, read back, opened again. Arguments: an empty directory, total bytes, bytes
 * of one batch, batches of one entry. Run with the test class path, for example by
 * {@code java -cp CLASSPATH tidemark.statemachine.bench.EngineBenchmark DIRECTORY 1000000000 1024 256}. The time of the thread is
 * shown too: on a machine that does other things as well, that says more.
 */
public final class EngineBenchmark {
    private static final StreamId STREAM = Entries.stream(1);

    private EngineBenchmark() {}

    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]);
        long total = Long.parseLong(arguments[1]);
        int batchBytes = Integer.parseInt(arguments[2]);
        int batches = Integer.parseInt(arguments[3]);
        RealFileSystem files = new RealFileSystem(directory);
        Layout layout = Layout.of(new GroupId(new UUID(1, 1)));
        ByteBuffer entry = entry(batchBytes, batches);
        long entries = total / ((long) batchBytes * batches);

        try (GroupMachine machine = GroupMachine.open(files, layout, EngineLimits.DEFAULT)) {
            machine.apply(new LogPosition(1, 0), Entries.entry(1, Entries.open(STREAM)));
            long start = System.nanoTime();
            for (long i = 1; i <= entries; i++) {
                machine.apply(new LogPosition(1, i), entry.duplicate());
            }
            report("apply", total, start);
            start = System.nanoTime();
            machine.sync();
            machine.checkpoint();
            report("sync", total, start);
        }
        long start = System.nanoTime();
        try (GroupMachine machine = GroupMachine.open(files, layout, EngineLimits.DEFAULT)) {
            report("open", total, start);
            for (int round = 0; round < 2; round++) {
                start = System.nanoTime();
                ReadCursor cursor = machine.cursor(STREAM, 0);
                long read = 0;
                while (cursor.next(256 << 10) instanceof ReadResult.Batches result) {
                    read += result.batches().stream()
                            .mapToLong(batch -> batch.batch().body().remaining())
                            .sum();
                }
                report("read " + read, total, start);
            }
        }
    }

    private static ByteBuffer entry(int batchBytes, int batches) {
        Entry.Builder entry = Entry.newBuilder().setTimestampMs(1);
        for (int i = 0; i < batches; i++) {
            Command append = Entries.append(STREAM, Entries.batch(1, batchBytes, i));
            entry.addCommands(append);
        }
        return Entries.bytes(entry.build());
    }

    private static long cpuBefore;

    private static void report(String what, long bytes, long startNanos) {
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        long cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        double cpuSeconds = (cpu - cpuBefore) / 1e9;
        cpuBefore = cpu;
        System.out.printf(
                "%-20s %8.3f s %8.0f MB/s, of the thread %8.3f s %8.0f MB/s%n",
                what, seconds, bytes / 1e6 / seconds, cpuSeconds, bytes / 1e6 / cpuSeconds);
    }
}
