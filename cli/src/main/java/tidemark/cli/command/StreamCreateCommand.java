package tidemark.cli.command;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tidemark.cli.text.Amounts;
import tidemark.client.CreateResult;
import tidemark.client.StreamSettings;
import tidemark.client.TidemarkClient;

/** Creates a stream. */
@Command(
        name = "create",
        description = {
            "Create a stream and wait until it takes appends.",
            "Succeeds if it exists with the same settings."
        })
final class StreamCreateCommand extends OnlineCommand {
    @Parameters(
            paramLabel = "NAME",
            description =
                    "1 to 255 of letters, digits, '.', '_', '-', in parts divided by '/', such as tenant-a/orders.")
    private String name = "";

    @Option(
            names = "--replicas",
            paramLabel = "N",
            description = "1, 3 or 5. Default: 3, or 1 in a cluster of fewer than 3 servers.")
    private int replicas;

    @Option(
            names = "--max-record-bytes",
            paramLabel = "N",
            description = "Limit of payload, key and headers of one record, 1 to 1000000. Default: 1000000.")
    private int maxRecordBytes;

    @Option(names = "--label", paramLabel = "KEY=VALUE", description = "A label; may be repeated.")
    private Map<String, String> labels = new LinkedHashMap<>();

    @Override
    void run(TidemarkClient client, Output output) throws IOException {
        CreateResult result = client.createStream(name, new StreamSettings(replicas, maxRecordBytes, labels));
        if (output.isJson()) {
            output.line(Streams.json(result.stream()).add("created", result.created()));
        } else if (result.created()) {
            output.line("created stream " + name + ": "
                    + Amounts.count(result.stream().settings().replicas(), "replica") + ", leader "
                    + Streams.orUnknown(result.stream().leaderId()));
        } else {
            output.line("stream " + name + " exists already, with these settings");
        }
    }
}
