package tidemark.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import tidemark.cli.command.Commands;
import tidemark.cli.command.Exit;
import tidemark.cli.command.Failure;
import tidemark.cli.command.ReaderGoneException;
import tidemark.cli.command.Surroundings;
import tidemark.cli.command.TidemarkCommand;
import tidemark.cli.text.MalformedTextException;
import tidemark.cli.text.Place;
import tidemark.cli.text.Places;
import tidemark.cli.text.Spans;

/** Where the command starts. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        int exitCode = run(ProcessSurroundings.create(), arguments);
        System.err.flush();
        // Not merely a return: no thread of a library may keep the process alive.
        System.exit(exitCode);
    }

    /** Runs one command without ending the process. Answers its exit code. */
    public static int run(Surroundings surroundings, String... arguments) {
        TidemarkCommand root = new TidemarkCommand(surroundings);
        String[] plain = withoutHelpWord(arguments);
        return commandLine(root, surroundings, plain).execute(plain);
    }

    /** {@code help append} is {@code append --help}. */
    private static String[] withoutHelpWord(String[] arguments) {
        if (arguments.length == 0 || !arguments[0].equals("help")) {
            return arguments;
        }
        String[] plain = Arrays.copyOfRange(arguments, 1, arguments.length + 1);
        plain[plain.length - 1] = "--help";
        return plain;
    }

    private static CommandLine commandLine(TidemarkCommand root, Surroundings surroundings, String[] arguments) {
        CommandLine commandLine = new CommandLine(root);
        Commands.addTo(commandLine, arguments);
        commandLine
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setOverwrittenOptionsAllowed(false)
                // @1700000000000 is a time, not a file of arguments.
                .setExpandAtFiles(false)
                .setColorScheme(CommandLine.Help.defaultColorScheme(ansi(surroundings)))
                .setOut(new PrintWriter(surroundings.out(), true, StandardCharsets.UTF_8))
                .setErr(new PrintWriter(surroundings.err(), true, StandardCharsets.UTF_8))
                .registerConverter(Duration.class, new SpanConverter())
                .registerConverter(Place.class, new PlaceConverter(surroundings))
                .setParameterExceptionHandler(new WrongUse(surroundings))
                .setExecutionExceptionHandler(new Failed(root, surroundings));
        HelpLayout.applyTo(commandLine);
        return commandLine;
    }

    private static CommandLine.Help.Ansi ansi(Surroundings surroundings) {
        boolean plain = surroundings.variables().containsKey("NO_COLOR")
                || "dumb".equals(surroundings.variables().get("TERM"));
        return surroundings.terminals().out() && !plain ? CommandLine.Help.Ansi.ON : CommandLine.Help.Ansi.OFF;
    }

    // Named classes instead of lambdas: the first lambda of a process costs it tens of milliseconds.

    private static final class SpanConverter implements CommandLine.ITypeConverter<Duration> {
        @Override
        public Duration convert(String text) throws Exception {
            try {
                return Spans.parse(text);
            } catch (MalformedTextException e) {
                throw new CommandLine.TypeConversionException(e.getMessage());
            }
        }
    }

    private static final class PlaceConverter implements CommandLine.ITypeConverter<Place> {
        private final Surroundings surroundings;

        PlaceConverter(Surroundings surroundings) {
            this.surroundings = surroundings;
        }

        @Override
        public Place convert(String text) throws Exception {
            try {
                return Places.parse(text, surroundings.clock().instant());
            } catch (MalformedTextException e) {
                throw new CommandLine.TypeConversionException(e.getMessage());
            }
        }
    }

    /** The arguments make no sense. */
    private static final class WrongUse implements CommandLine.IParameterExceptionHandler {
        private final Surroundings surroundings;

        WrongUse(Surroundings surroundings) {
            this.surroundings = surroundings;
        }

        @Override
        public int handleParseException(ParameterException e, String[] arguments) {
            String command = e.getCommandLine().getCommandSpec().qualifiedName();
            surroundings
                    .err()
                    .println("tidemark: " + Failure.oneLine(e.getMessage()) + "; see '" + command + " --help'");
            return Exit.USAGE;
        }
    }

    /** The command failed. */
    private static final class Failed implements CommandLine.IExecutionExceptionHandler {
        private final TidemarkCommand root;
        private final Surroundings surroundings;

        Failed(TidemarkCommand root, Surroundings surroundings) {
            this.root = root;
            this.surroundings = surroundings;
        }

        @Override
        public int handleExecutionException(
                Exception thrown, CommandLine commandLine, CommandLine.ParseResult parseResult) {
            if (thrown instanceof ReaderGoneException) {
                return Exit.OK;
            }
            Failure failure = Failure.of(thrown);
            surroundings.err().println("tidemark: " + failure.message());
            if (root.debug()) {
                thrown.printStackTrace(surroundings.err());
            }
            return failure.exitCode();
        }
    }
}
