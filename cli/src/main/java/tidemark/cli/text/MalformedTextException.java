package tidemark.cli.text;

/** What somebody typed cannot be read. The message says what it was and what is accepted instead. */
public final class MalformedTextException extends Exception {
    private static final long serialVersionUID = 1L;

    public MalformedTextException(String message) {
        super(message);
    }
}
