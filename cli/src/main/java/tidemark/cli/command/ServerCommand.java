package tidemark.cli.command;

import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/** Stands in the help for the server, which bin/tidemark starts by itself: it is another program with other libraries. */
@Command(
        name = "server",
        description = {"Run a server. See 'tidemark server --help'."})
final class ServerCommand extends Subcommand {
    @Unmatched
    @SuppressWarnings("UnusedVariable") // whatever they are, the answer is the same
    private @Nullable List<String> arguments;

    @Override
    void run(Output output) {
        throw new UsageException("the server is started by bin/tidemark of a distribution, not by this class: "
                + "run 'bin/tidemark server'");
    }
}
