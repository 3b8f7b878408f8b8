package tidemark.server;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes daemon threads called {@code tidemark-NAME-NUMBER}. Daemons, so that none of them keeps a process alive that should end. */
final class NamedThreads implements ThreadFactory {
    static final String PREFIX = "tidemark-";

    private final String name;
    private final AtomicInteger made = new AtomicInteger();

    NamedThreads(String name) {
        this.name = name;
    }

    @Override
    public Thread newThread(Runnable task) {
        Thread thread = new Thread(task, PREFIX + name + "-" + made.incrementAndGet());
        thread.setDaemon(true);
        return thread;
    }
}
