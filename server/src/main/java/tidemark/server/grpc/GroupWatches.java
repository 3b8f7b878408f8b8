package tidemark.server.grpc;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import tidemark.server.raft.HostedGroup;

/**
 * Wakes those who wait for news of a group: one listener a group however many wait, and nothing but a hand-over on Raft's threads.
 * Safe for use by many threads.
 */
final class GroupWatches {
    private final Executor executor;
    private final Map<HostedGroup, Watch> watches = new HashMap<>();

    /** @param executor calls those who wait */
    GroupWatches(Executor executor) {
        this.executor = executor;
    }

    /** Has a waiter called, soon, each time there may be news. It must return at once, and is called by one thread at a time or more. */
    synchronized Registration watch(HostedGroup group, Runnable waiter) {
        Watch watch = watches.computeIfAbsent(group, Watch::new);
        watch.waiters.add(waiter);
        if (watch.waiters.size() == 1) {
            watch.listen();
        }
        return () -> unwatch(group, watch, waiter);
    }

    private synchronized void unwatch(HostedGroup group, Watch watch, Runnable waiter) {
        watch.waiters.remove(waiter);
        if (watch.waiters.isEmpty() && watches.remove(group, watch)) {
            watch.close();
        }
    }

    /** Ends a watch. */
    interface Registration extends AutoCloseable {
        @Override
        void close();
    }

    private final class Watch {
        private final HostedGroup group;
        private final Set<Runnable> waiters = ConcurrentHashMap.newKeySet();
        private final AtomicBoolean waking = new AtomicBoolean();
        private HostedGroup.Registration registration = () -> {};

        Watch(HostedGroup group) {
            this.group = group;
        }

        void listen() {
            registration = group.listen(this::news);
        }

        void close() {
            registration.close();
        }

        /** On Raft's threads. */
        private void news() {
            if (!waking.compareAndSet(false, true)) {
                return;
            }
            try {
                executor.execute(this::wake);
            } catch (RejectedExecutionException stopping) {
                // The server has ended all reads by now.
                waking.set(false);
            }
        }

        private void wake() {
            // First: news from now on wakes again.
            waking.set(false);
            waiters.forEach(Runnable::run);
        }
    }
}
