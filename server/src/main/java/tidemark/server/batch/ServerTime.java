package tidemark.server.batch;

/** The clocks of the server, injected so that tests own them. Safe for use by many threads. */
public interface ServerTime {
    /** Milliseconds since the Unix epoch. May go back. */
    long wallMillis();

    /** Nanoseconds since some moment; never goes back. For durations only. */
    long monotonicNanos();
}
