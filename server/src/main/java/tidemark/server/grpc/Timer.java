package tidemark.server.grpc;

import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Starts short tasks later, on one thread for the whole server: they must only hand over. Safe for use by many threads. */
final class Timer implements AutoCloseable {
    private final ScheduledExecutorService scheduler =
            Executors.newSingleThreadScheduledExecutor(Threads.named("grpc-timer"));

    /** Once this is closed, nothing happens any more: then all calls have ended too. */
    void after(long millis, Runnable task) {
        ignore(() -> scheduler.schedule(task, millis, TimeUnit.MILLISECONDS));
    }

    /** @param task must not throw: it would never run again */
    void every(long millis, Runnable task) {
        ignore(() -> scheduler.scheduleWithFixedDelay(task, millis, millis, TimeUnit.MILLISECONDS));
    }

    private static void ignore(java.util.function.Supplier<Future<?>> schedule) {
        try {
            @SuppressWarnings("unused") // Tasks report themselves what goes wrong.
            @Nullable Future<?> scheduled = schedule.get();
        } catch (RejectedExecutionException closed) {
            // As promised.
            return;
        }
    }

    @Override
    public void close() {
        scheduler.shutdownNow();
    }
}
