package tidemark.server.batch;

/**
 * Operations that must not overtake a failure: once one of a lane has failed, none after it is written. One lane for each append
 * session. Safe for use by many threads.
 */
public final class Lane {
    private volatile boolean failed;

    /** From now on, operations of this lane that are not in an entry yet are refused. */
    public void fail() {
        failed = true;
    }

    boolean failed() {
        return failed;
    }
}
