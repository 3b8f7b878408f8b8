package tidemark.server.grpc;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Names threads, for those who read a thread dump. */
final class Threads {
    private Threads() {}

    static ThreadFactory named(String name) {
        AtomicInteger count = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
            // They must not keep a process alive whose main part has ended.
            thread.setDaemon(true);
            return thread;
        };
    }
}
