package tidemark.cli.command;

import java.io.IOException;
import java.util.OptionalLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tidemark.cli.text.Amounts;
import tidemark.cli.text.Json;
import tidemark.cli.text.Place;
import tidemark.client.TidemarkClient;
import tidemark.client.TruncateResult;

/** Truncates a stream. */
@Command(
        name = "truncate",
        description = {
            "Make all records before a place unreadable.",
            "At once and on all replicas; disk space is freed soon after. Offsets are not used again."
        })
final class TruncateCommand extends OnlineCommand {
    @Parameters(paramLabel = "STREAM", description = "The stream.")
    private String stream = "";

    @Option(
            names = "--before",
            required = true,
            paramLabel = "OFFSET|TIME",
            description = "The first record to keep: " + ReadArguments.PLACES)
    private Place before = Place.START;

    @Option(names = "--dry-run", description = "Say what would be removed, remove nothing.")
    private boolean dryRun;

    @Override
    void run(TidemarkClient client, Output output) throws IOException {
        TruncateResult result = client.truncate(stream, ReadArguments.position(before), dryRun, OptionalLong.empty());
        if (output.isJson()) {
            output.line(new Json()
                    .add("stream", stream)
                    .add("dry_run", dryRun)
                    .add("removed_records", result.removedRecords())
                    .add("previous_start_offset", result.previousStartOffset())
                    .add("start_offset", result.startOffset())
                    .add("freed_bytes", result.freedBytes()));
        } else {
            output.line(describe(result));
        }
    }

    private String describe(TruncateResult result) {
        if (result.removedRecords() == 0) {
            return "nothing to remove from " + stream + ": it starts at offset " + result.startOffset();
        }
        String removed = Amounts.count(result.removedRecords(), "record") + " (offsets " + result.previousStartOffset()
                + " to " + (result.startOffset() - 1) + ")";
        String freed = Amounts.bytes(result.freedBytes()) + " on each replica";
        return dryRun
                ? "would remove " + removed + " from " + stream + ", which would start at offset "
                        + result.startOffset() + " and free " + freed
                : "removed " + removed + " from " + stream + ", which starts at offset " + result.startOffset()
                        + " now; frees " + freed;
    }
}
