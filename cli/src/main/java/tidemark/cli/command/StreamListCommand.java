package tidemark.cli.command;

import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tidemark.cli.text.Amounts;
import tidemark.cli.text.Table;
import tidemark.client.StreamInfo;
import tidemark.client.TidemarkClient;

/** Lists streams. */
@Command(name = "list", description = "List streams in order of their names. json: one object a line.")
final class StreamListCommand extends OnlineCommand {
    @Parameters(arity = "0..1", paramLabel = "PREFIX", description = "Only streams whose names start with this.")
    private String prefix = "";

    @Override
    void run(TidemarkClient client, Output output) throws IOException {
        Table table = new Table("NAME", "REPLICAS", "LEADER", "SEALED", "CREATED", "LABELS");
        for (StreamInfo stream : client.listStreams(prefix)) {
            if (output.isJson()) {
                output.line(Streams.json(stream));
            } else {
                table.row(
                        stream.name(),
                        Integer.toString(stream.settings().replicas()),
                        Streams.orUnknown(stream.leaderId()),
                        Streams.yesNo(stream.sealed()),
                        Amounts.time(stream.createdMs()),
                        Streams.labels(stream.settings().labels()));
            }
        }
        if (!output.isJson()) {
            output.print(table.toString());
        }
    }
}
