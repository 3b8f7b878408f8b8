package tidemark.client;

import io.grpc.ManagedChannel;
import io.grpc.inprocess.InProcessChannelBuilder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A clock that moves only when it is told to, and in-process connections. Tasks that are to wait for at most {@code patience}
 * run at once, on one thread, with the clock moved to their time; the others wait for {@link #advance}. One world serves one client, which closes it.
 */
final class FakeWorld implements ClientWorld {
    /** Different in all worlds, as true identities are. */
    private static final AtomicLong IDENTITIES = new AtomicLong();

    private final String namespace;
    private final long patienceNanos;
    private final Random random = new Random(42);
    private final ExecutorService timers = Executors.newSingleThreadExecutor();
    private final List<Task> tasks = new ArrayList<>();
    private long now = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(5); // overflows soon: differences must be right

    private record Task(long due, long delay, Runnable action) {}

    /** Channels lead to in-process servers named {@code namespace/host:port}. */
    FakeWorld(String namespace, long patienceNanos) {
        this.namespace = namespace;
        this.patienceNanos = patienceNanos;
    }

    @Override
    public synchronized long nanoTime() {
        return now;
    }

    @Override
    public synchronized double random() {
        return random.nextDouble();
    }

    @Override
    public byte[] randomBytes(int count) {
        return Arrays.copyOf(Long.toHexString(IDENTITIES.incrementAndGet()).getBytes(StandardCharsets.US_ASCII), count);
    }

    @Override
    public synchronized Timer schedule(long delayNanos, Runnable action) {
        Task task = new Task(now + delayNanos, delayNanos, action);
        if (delayNanos <= patienceNanos) {
            now += Math.max(0, delayNanos);
            timers.execute(action);
        } else {
            tasks.add(task);
            notifyAll();
        }
        return () -> cancel(task);
    }

    private synchronized void cancel(Task task) {
        tasks.remove(task);
    }

    /** Waits until a task waits for at least so long, and answers for how long. */
    synchronized long awaitTask(long delayNanosMin) throws InterruptedException {
        while (true) {
            for (Task task : tasks) {
                if (task.delay() >= delayNanosMin) {
                    return task.delay();
                }
            }
            wait();
        }
    }

    /** Moves the clock and runs what is due, on the caller's thread. */
    void advance(long nanos) {
        List<Task> due = new ArrayList<>();
        synchronized (this) {
            now += nanos;
            for (Task task : tasks) {
                if (task.due() - now <= 0) {
                    due.add(task);
                }
            }
            tasks.removeAll(due);
        }
        due.forEach(task -> task.action().run());
    }

    @Override
    public ManagedChannel channel(Endpoint endpoint) {
        return InProcessChannelBuilder.forName(namespace + "/" + endpoint).build();
    }

    @Override
    public void close() {
        timers.shutdownNow();
    }
}
