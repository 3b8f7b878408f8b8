package tidemark.cli.command;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.time.InstantSource;
import java.util.Map;

/**
 * All that a command meets outside itself, so that tests can run it without a process.
 *
 * @param in standard input
 * @param out standard output, not buffered: commands buffer and flush. Fails with {@link ReaderGoneException} once nobody reads it
 * @param err standard error
 * @param terminals which of the three are terminals
 * @param variables of the environment
 * @param clock for times like "5 minutes ago"
 * @param interrupts tells when somebody presses Ctrl-C
 * @param clients connects to servers
 */
public record Surroundings(
        InputStream in,
        OutputStream out,
        PrintStream err,
        Terminals terminals,
        Map<String, String> variables,
        InstantSource clock,
        Interrupts interrupts,
        ClientFactory clients) {

    /** Which of the standard streams are terminals. */
    public record Terminals(boolean in, boolean out, boolean err) {
        /** None: a script, or a test. */
        public static final Terminals NONE = new Terminals(false, false, false);
    }

    /** Where to hear of Ctrl-C. */
    public interface Interrupts {
        /** Has {@code action} run, on another thread, if the process is interrupted before the returned handle is closed. */
        Handle onInterrupt(Runnable action);

        /** Stops listening. */
        interface Handle extends AutoCloseable {
            @Override
            void close();
        }
    }
}
