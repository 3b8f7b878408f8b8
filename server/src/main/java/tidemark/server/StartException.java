package tidemark.server;

/** The server cannot start. The message is one line for the operator: what, where, what to do. */
final class StartException extends Exception {
    private static final long serialVersionUID = 1L;

    StartException(String message) {
        super(message);
    }

    StartException(String message, Throwable cause) {
        super(message, cause);
    }
}
