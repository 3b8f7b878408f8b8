package tidemark.server.storage;

import java.io.IOException;

/** A directory cannot be used as it is. The message says which, why and what to do. Nothing in it was changed. */
public final class UnusableDirectoryException extends IOException {
    private static final long serialVersionUID = 1L;

    public UnusableDirectoryException(String message) {
        super(message);
    }

    public UnusableDirectoryException(String message, Throwable cause) {
        super(message, cause);
    }
}
