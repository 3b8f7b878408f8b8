package tidemark.client;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The real world: the system's clock, plain-text HTTP/2, and one timer thread that starts when first needed. */
final class SystemWorld implements ClientWorld {
    /** Messages are about 256 KiB, and one record at most 1 MB; the rest is room for fields to come. */
    private static final int INBOUND_MESSAGE_BYTES_MAX = 16 << 20;

    /**
     * A server that is paused or cut off does not close its connections. While a call waits, it must answer a ping after so many
     * seconds, within so many. gRPC does not go below 10; servers permit one every 5.
     */
    private static final int KEEP_ALIVE_SECONDS = 10;

    private static final int KEEP_ALIVE_TIMEOUT_SECONDS = 5;

    private final Duration connectTimeout;
    private final Object lock = new Object();
    private @Nullable ScheduledThreadPoolExecutor timers;
    private boolean closed;

    SystemWorld(Duration connectTimeout) {
        this.connectTimeout = connectTimeout;
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public double random() {
        return ThreadLocalRandom.current().nextDouble();
    }

    @Override
    public byte[] randomBytes(int count) {
        byte[] bytes = new byte[count];
        new SecureRandom().nextBytes(bytes);
        return bytes;
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        synchronized (lock) {
            if (closed) {
                return () -> {};
            }
            ScheduledThreadPoolExecutor executor = timers;
            if (executor == null) {
                executor = newTimers();
                timers = executor;
            }
            try {
                Future<?> waiting = executor.schedule(task, Math.max(0, delayNanos), TimeUnit.NANOSECONDS);
                return () -> waiting.cancel(false);
            } catch (RejectedExecutionException impossible) {
                throw new IllegalStateException("the timer is shut down only under this lock", impossible);
            }
        }
    }

    private static ScheduledThreadPoolExecutor newTimers() {
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "tidemark-client-timer");
            thread.setDaemon(true);
            return thread;
        });
        executor.setRemoveOnCancelPolicy(true);
        return executor;
    }

    @Override
    public ManagedChannel channel(Endpoint endpoint) {
        return NettyChannelBuilder.forAddress(endpoint.host(), endpoint.port())
                .usePlaintext()
                .maxInboundMessageSize(INBOUND_MESSAGE_BYTES_MAX)
                .keepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
                .keepAliveTimeout(KEEP_ALIVE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        Math.min(Integer.MAX_VALUE, Math.max(1, connectTimeout.toMillis())))
                .build();
    }

    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
            if (timers != null) {
                timers.shutdownNow();
            }
        }
    }
}
