package tidemark.cli.command;

import java.io.IOException;

/** Nobody reads the output any more, as with {@code | head}. Not a failure. */
public final class ReaderGoneException extends IOException {
    private static final long serialVersionUID = 1L;

    public ReaderGoneException(IOException cause) {
        super("nobody reads the output any more", cause);
    }
}
