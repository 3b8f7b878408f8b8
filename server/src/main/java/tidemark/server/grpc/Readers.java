package tidemark.server.grpc;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import tidemark.server.batch.ServerTime;

/** All open reads of this server, and what they share. Safe for use by many threads. */
final class Readers {
    private static final long SLOW_NANOS = 1_000_000_000;

    private final int limit;
    private final long heartbeatNanos;
    private final Executor executor;
    private final ServerTime time;
    private final GroupWatches watches;
    private final Set<ReadLeg> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger count = new AtomicInteger();

    /** @param executor does the reading: may block on disks */
    Readers(int limit, Duration heartbeat, Executor executor, ServerTime time) {
        this.limit = limit;
        this.heartbeatNanos = heartbeat.toNanos();
        this.executor = executor;
        this.time = time;
        this.watches = new GroupWatches(executor);
    }

    Executor executor() {
        return executor;
    }

    GroupWatches watches() {
        return watches;
    }

    long nowNanos() {
        return time.monotonicNanos();
    }

    boolean heartbeatDue(long lastSentNanos) {
        return time.monotonicNanos() - lastSentNanos >= heartbeatNanos;
    }

    /** Whether a reader that is held back since then should not hold memory any more. */
    boolean isSlow(long lastSentNanos) {
        return time.monotonicNanos() - lastSentNanos >= SLOW_NANOS;
    }

    /** @throws io.grpc.StatusRuntimeException OVERLOADED if too many are open */
    void add(ReadLeg read, String stream) {
        if (count.incrementAndGet() > limit) {
            count.decrementAndGet();
            throw Errors.overloaded(stream, "this server has " + limit + " open reads, which is its limit");
        }
        open.add(read);
    }

    void remove(ReadLeg read) {
        if (open.remove(read)) {
            count.decrementAndGet();
        }
    }

    int count() {
        return count.get();
    }

    /** Called now and then, more often than heartbeats are due. */
    void tick() {
        open.forEach(ReadLeg::tick);
    }
}
