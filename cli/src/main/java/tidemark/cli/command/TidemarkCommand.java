package tidemark.cli.command;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The command itself, with the options that all subcommands share. Does nothing but show its help. */
@Command(
        name = "tidemark",
        versionProvider = Version.class,
        header = "A replicated, append-only log: append records to streams, read, follow and truncate them.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:anything without a code of its own",
            "2:wrong use: unknown option, malformed value, record over its limit",
            "3:the records asked for are truncated or do not exist yet",
            "4:conflict: not the expected end or start, stream exists, stream sealed",
            "5:no server or no leader reached in time; nothing was written",
            "6:indeterminate: not known whether a write took place",
        },
        footer = {
            "Sixty seconds:",
            "  tidemark server &",
            "  tidemark stream create orders",
            "  seq 1 1000 | tidemark append orders",
            "  tidemark tail orders -f",
        })
public final class TidemarkCommand implements Runnable {
    static final String SERVERS_VARIABLE = "TIDEMARK_SERVERS";
    static final String SERVERS_DEFAULT = "127.0.0.1:7420";
    static final String DEBUG_VARIABLE = "TIDEMARK_DEBUG";

    private final Surroundings surroundings;

    @Option(
            names = {"-s", "--server"},
            paramLabel = "HOST:PORT,…",
            scope = ScopeType.INHERIT,
            description =
                    "Servers to ask, any of the cluster; the others are found through them. Default: TIDEMARK_SERVERS, else "
                            + SERVERS_DEFAULT + ".")
    private @Nullable String servers;

    @Option(
            names = {"-o", "--format"},
            paramLabel = "FORMAT",
            defaultValue = "text",
            scope = ScopeType.INHERIT,
            description = "text, json, or raw (read and tail only: payloads byte for byte). Default: text.")
    private OutputFormat format = OutputFormat.TEXT;

    @Option(
            names = "--timeout",
            paramLabel = "SPAN",
            defaultValue = "30s",
            scope = ScopeType.INHERIT,
            description = "How long to try before giving up on a call, such as 500ms, 30s, 5m. Default: 30s.")
    private Duration timeout = Duration.ofSeconds(30);

    @Option(
            names = "--debug",
            scope = ScopeType.INHERIT,
            description = "Print the stack trace of a failure. Also: TIDEMARK_DEBUG=1.")
    private boolean debug;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Show this help.")
    @SuppressWarnings("UnusedVariable") // picocli acts upon the annotation
    private boolean help;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Show the version.")
    @SuppressWarnings("UnusedVariable") // as above
    private boolean version;

    public TidemarkCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    Surroundings surroundings() {
        return surroundings;
    }

    /** Where {@link #servers} comes from, for messages. */
    String serversSource() {
        return servers != null ? "--server" : SERVERS_VARIABLE;
    }

    /** As typed: addresses divided by commas. */
    String servers() {
        if (servers != null) {
            return servers;
        }
        String fromEnvironment = surroundings.variables().getOrDefault(SERVERS_VARIABLE, "");
        return fromEnvironment.isBlank() ? SERVERS_DEFAULT : fromEnvironment;
    }

    OutputFormat format() {
        return format;
    }

    Duration timeout() {
        return timeout;
    }

    /** Whether failures are to be printed with their stack trace. */
    public boolean debug() {
        return debug || isOn(surroundings.variables().getOrDefault(DEBUG_VARIABLE, ""));
    }

    private static boolean isOn(String value) {
        return !value.isEmpty() && !value.equals("0");
    }

    @Override
    public void run() {
        throw new UsageException("which command? See 'tidemark --help'");
    }
}
