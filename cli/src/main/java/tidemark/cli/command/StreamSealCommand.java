package tidemark.cli.command;

import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tidemark.cli.text.Json;
import tidemark.client.TidemarkClient;

/** Seals a stream. */
@Command(
        name = "seal",
        description = {"End a stream: it takes no more appends, for good.", "Readers that reach its end are told so."})
final class StreamSealCommand extends OnlineCommand {
    @Parameters(paramLabel = "NAME", description = "The stream.")
    private String name = "";

    @Override
    void run(TidemarkClient client, Output output) throws IOException {
        long end = client.sealStream(name);
        if (output.isJson()) {
            output.line(new Json().add("name", name).add("sealed", true).add("end_offset", end));
        } else {
            output.line("sealed stream " + name + " at its end, offset " + end);
        }
    }
}
