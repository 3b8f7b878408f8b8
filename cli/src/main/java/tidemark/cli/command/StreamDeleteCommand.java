package tidemark.cli.command;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tidemark.cli.text.Json;
import tidemark.client.TidemarkClient;

/** Deletes a stream, after asking. */
@Command(
        name = "delete",
        description = {
            "Delete a stream with all its records, for good.",
            "On all replicas. Asks first if run on a terminal; needs --yes otherwise."
        })
final class StreamDeleteCommand extends OnlineCommand {
    @Parameters(paramLabel = "NAME", description = "The stream.")
    private String name = "";

    @Option(
            names = {"-y", "--yes"},
            description = "Do not ask.")
    private boolean yes;

    @Override
    void prepare(OutputFormat format) throws IOException, CommandException {
        if (!yes && !surroundings().terminals().in()) {
            throw new UsageException("deleting '" + name + "' needs --yes when there is no terminal to ask on");
        }
        if (!yes && !confirmed()) {
            throw new CommandException("'" + name + "' was not deleted", Exit.OTHER, null);
        }
    }

    @Override
    void run(TidemarkClient client, Output output) throws IOException {
        client.deleteStream(name);
        if (output.isJson()) {
            output.line(new Json().add("name", name).add("deleted", true));
        } else {
            output.line("deleted stream " + name);
        }
    }

    private boolean confirmed() throws IOException {
        surroundings().err().print("Delete stream " + name + " with all its records, for good? [y/N] ");
        surroundings().err().flush();
        @Nullable String answer =
                new BufferedReader(new InputStreamReader(surroundings().in(), StandardCharsets.UTF_8)).readLine();
        return answer != null
                && (answer.strip().toLowerCase(Locale.ROOT).equals("y")
                        || answer.strip().toLowerCase(Locale.ROOT).equals("yes"));
    }
}
