package tidemark.server.batch;

/** An operation was dropped before it was put into an entry: definitely not written, and never will be. */
public final class AbandonedException extends Exception {
    private static final long serialVersionUID = 1L;

    public AbandonedException(String message) {
        super(message);
    }
}
