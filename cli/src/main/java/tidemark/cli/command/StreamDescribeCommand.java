package tidemark.cli.command;

import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tidemark.client.TidemarkClient;

/** Describes a stream. */
@Command(name = "describe", description = "Show a stream: settings, replicas, leader, bounds, stored bytes.")
final class StreamDescribeCommand extends OnlineCommand {
    @Parameters(paramLabel = "NAME", description = "The stream.")
    private String name = "";

    @Override
    void run(TidemarkClient client, Output output) throws IOException {
        Streams.print(client.getStream(name), output);
    }
}
