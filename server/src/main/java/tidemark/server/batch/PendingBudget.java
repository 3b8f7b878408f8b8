package tidemark.server.batch;

import java.util.concurrent.atomic.AtomicLong;

/** Bytes that may be held at the same time by many owners. Safe for use by many threads. */
final class PendingBudget {
    private final long limit;
    private final AtomicLong used = new AtomicLong();

    PendingBudget(long limit) {
        this.limit = limit;
    }

    /** Takes bytes if they fit, or if nothing else is held (so that what is larger than the limit is not refused for ever). */
    boolean tryAcquire(long bytes) {
        while (true) {
            long before = used.get();
            if (before != 0 && before + bytes > limit) {
                return false;
            }
            if (used.compareAndSet(before, before + bytes)) {
                return true;
            }
        }
    }

    void release(long bytes) {
        used.addAndGet(-bytes);
    }

    long used() {
        return used.get();
    }
}
