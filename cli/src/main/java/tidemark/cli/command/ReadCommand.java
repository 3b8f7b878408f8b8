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

/** Prints a range of records. */
@Command(
        name = "read",
        description = {
            "Print records from one place to another.",
            "Ends at the present end of the stream at the latest."
        })
final class ReadCommand extends OnlineCommand {
    @Parameters(paramLabel = "STREAM", description = "The stream.")
    private String stream = "";

    @Option(
            names = "--from",
            paramLabel = "OFFSET|TIME",
            description = "First record: " + ReadArguments.PLACES + " Default: start.")
    private Place from = Place.START;

    @Option(names = "--to", paramLabel = "OFFSET|TIME", description = "End before this record. Default: end.")
    private Place to = Place.END;

    @Option(names = "--limit", paramLabel = "N", description = "End after so many records; at least 1.")
    private @Nullable Long limit;

    @Mixin
    private ReadArguments arguments = new ReadArguments();

    private ReadOptions options = ReadOptions.from(LogPosition.start());
    private RecordPrinter printer = RecordPrinter.json();

    @Override
    boolean allowsRaw() {
        return true;
    }

    @Override
    void prepare(OutputFormat format) {
        ReadOptions.Builder builder = arguments.options(from);
        switch (to.kind()) {
            case OFFSET -> builder.untilOffset(to.value());
            case TIME -> builder.untilTimestampMs(to.value());
            case END -> {}
            case START, LAST -> throw new UsageException("--to: give an offset, a time or end");
        }
        if (limit != null) {
            if (limit < 1) {
                throw new UsageException("--limit: must be at least 1, is " + limit);
            }
            builder.maxRecords(limit);
        }
        options = builder.build();
        printer = arguments.printer(format);
    }

    @Override
    void run(TidemarkClient client, Output output) throws IOException {
        Printing.copy(client, stream, options, printer, output);
    }
}
