package tidemark.cli.command;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tidemark.cli.record.RecordPrinter;
import tidemark.cli.text.Place;
import tidemark.client.LogPosition;
import tidemark.client.ReadOptions;
import tidemark.client.TidemarkClient;

/** Prints the last records, and follows. */
@Command(
        name = "tail",
        description = {
            "Print the last records of a stream, and follow it.",
            "-f goes on with new records until Ctrl-C or the end of a sealed stream."
        })
final class TailCommand extends OnlineCommand {
    private static final long RECORDS_DEFAULT = 10;

    @Parameters(paramLabel = "STREAM", description = "The stream.")
    private String stream = "";

    @Option(names = "-n", paramLabel = "N", description = "Begin with the last N records. Default: 10.")
    private @Nullable Long last;

    @Option(
            names = {"-f", "--follow"},
            description = "Go on with new records.")
    private boolean follow;

    @Option(names = "--from", paramLabel = "OFFSET|TIME", description = "Begin here instead: " + ReadArguments.PLACES)
    private @Nullable Place from;

    @Mixin
    private ReadArguments arguments = new ReadArguments();

    private ReadOptions options = ReadOptions.from(LogPosition.end());
    private RecordPrinter printer = RecordPrinter.json();

    @Override
    boolean allowsRaw() {
        return true;
    }

    @Override
    void prepare(OutputFormat format) {
        options = arguments.options(begin()).follow(follow).build();
        printer = arguments.printer(format);
    }

    @Override
    void run(TidemarkClient client, Output output) throws IOException {
        Printing.copy(client, stream, options, printer, output);
    }

    private Place begin() {
        if (from != null) {
            if (last != null) {
                throw new UsageException("give either -n or --from, not both");
            }
            return from;
        }
        long records = last == null ? RECORDS_DEFAULT : last;
        if (records < 0) {
            throw new UsageException("-n: must be at least 0, is " + records);
        }
        return Place.last(records);
    }
}
