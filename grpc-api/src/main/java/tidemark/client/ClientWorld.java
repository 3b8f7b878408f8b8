package tidemark.client;

import io.grpc.ManagedChannel;

/** Time, chance and connections: what a client takes from outside, so that tests can give it theirs. Thread-safe. */
interface ClientWorld extends AutoCloseable {
    /** Nanoseconds of a clock that never goes back; only differences mean something. */
    long nanoTime();

    /** At least 0, less than 1. */
    double random();

    /** Bytes that nobody else draws: identities. */
    byte[] randomBytes(int count);

    /** Runs a task once, later, on a thread of its own choice. The task must not block. */
    Timer schedule(long delayNanos, Runnable task);

    /** A new channel; it connects at its first call. */
    ManagedChannel channel(Endpoint endpoint);

    /** Tasks that wait are dropped. */
    @Override
    void close();

    /** A task that waits. */
    interface Timer {
        /** Drops the task if it has not begun. */
        void cancel();
    }
}
