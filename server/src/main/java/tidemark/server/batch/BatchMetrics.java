package tidemark.server.batch;

/** What a batcher tells of its work. Called on its hot path: must return at once. Safe for use by many threads. */
public interface BatchMetrics {
    /** Counts nothing. */
    BatchMetrics NONE = new BatchMetrics() {
        @Override
        public void entryProposed(int commands, int bytes) {}

        @Override
        public void entryCompleted(long nanos, boolean succeeded) {}
    };

    /** An entry was handed to Raft. */
    void entryProposed(int commands, int bytes);

    /** An entry's outcome is known: how long after it was proposed, and whether it was applied. */
    void entryCompleted(long nanos, boolean succeeded);
}
