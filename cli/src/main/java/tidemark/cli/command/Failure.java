package tidemark.cli.command;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import org.jspecify.annotations.Nullable;
import tidemark.cli.record.RecordTooLongException;
import tidemark.cli.text.MalformedTextException;
import tidemark.client.TidemarkException;

/**
 * What a failed command says and ends with.
 *
 * @param message one line without a full stop: what, where, what to do
 * @param exitCode one of {@link Exit}
 */
public record Failure(String message, int exitCode) {

    /** What becomes of an exception. Loads the client's classes only for the client's exceptions. */
    public static Failure of(Throwable thrown) {
        if (thrown instanceof UsageException || thrown instanceof MalformedTextException) {
            return new Failure(oneLine(thrown.getMessage()), Exit.USAGE);
        }
        if (thrown instanceof CommandException e) {
            return new Failure(oneLine(e.getMessage()), e.exitCode());
        }
        if (thrown instanceof RecordTooLongException) {
            return new Failure(oneLine(thrown.getMessage()), Exit.USAGE);
        }
        if (thrown instanceof IOException e) {
            return new Failure(oneLine(describe(e)), Exit.OTHER);
        }
        if (thrown instanceof TidemarkException e) {
            return new Failure(oneLine(describe(e)), exitCode(e));
        }
        return new Failure(
                "this is a defect of the command: " + oneLine(thrown.toString()) + "; --debug prints where",
                Exit.OTHER);
    }

    /** The exit code for a failure that the client reports. */
    static int exitCode(TidemarkException e) {
        return switch (e.reason()) {
            case INVALID_FIELD, TOO_LARGE -> Exit.USAGE;
            case OFFSET_TRUNCATED, OFFSET_BEYOND_END -> Exit.GAP;
            case END_CONFLICT,
                    START_CONFLICT,
                    REVISION_CONFLICT,
                    STREAM_EXISTS,
                    SEALED,
                    OUT_OF_SEQUENCE,
                    UNKNOWN_WRITER,
                    SEQUENCE_EXPIRED -> Exit.CONFLICT;
            case NOT_LEADER, NO_LEADER, OVERLOADED, SHUTTING_DOWN, NOT_ENOUGH_SERVERS, UNREACHABLE, TIMEOUT ->
                e instanceof TidemarkException.Indeterminate ? Exit.INDETERMINATE : Exit.UNAVAILABLE;
            case INDETERMINATE -> Exit.INDETERMINATE;
            case NOT_SENT -> e.getCause() instanceof TidemarkException cause ? exitCode(cause) : Exit.OTHER;
            case UNSUPPORTED, STREAM_NOT_FOUND, CORRUPT, INTERNAL, CLOSED -> Exit.OTHER;
        };
    }

    private static String describe(TidemarkException e) {
        String message = String.valueOf(e.getMessage());
        return switch (e.reason()) {
            case STREAM_NOT_FOUND ->
                "no stream named '" + e.stream() + "'; create it with 'tidemark stream create " + e.stream()
                        + "', or see 'tidemark stream list'";
            default -> message;
        };
    }

    private static String describe(IOException e) {
        String message = String.valueOf(e.getMessage());
        if (e instanceof NoSuchFileException) {
            return message + ": no such file";
        }
        if (e instanceof AccessDeniedException) {
            return message + ": permission denied";
        }
        return message;
    }

    /** Messages may quote what a server or a file holds: nothing of it may drive the terminal or start another line. */
    public static String oneLine(@Nullable String text) {
        String message = String.valueOf(text);
        StringBuilder line = new StringBuilder(message.length());
        for (int i = 0; i < message.length(); i++) {
            char c = message.charAt(i);
            line.append(Character.isISOControl(c) ? ' ' : c);
        }
        return line.toString();
    }
}
