package tidemark.cli.command;

/** Wrong use of a command. The message says what is wrong, and what would be right. Nothing was done. */
public final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UsageException(String message) {
        super(message);
    }
}
