package tidemark.cli.command;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tidemark.client.StreamUpdate;
import tidemark.client.TidemarkClient;

/** Changes a stream's settings. */
@Command(name = "update", description = "Change settings of a stream; those not named stay.")
final class StreamUpdateCommand extends OnlineCommand {
    @Parameters(paramLabel = "NAME", description = "The stream.")
    private String name = "";

    @Option(
            names = "--max-record-bytes",
            paramLabel = "N",
            description = "Limit of payload, key and headers of one record, 1 to 1000000.")
    private @Nullable Integer maxRecordBytes;

    @Option(names = "--label", paramLabel = "KEY=VALUE", description = "A label to set; may be repeated.")
    private Map<String, String> labels = new LinkedHashMap<>();

    @Option(names = "--remove-label", paramLabel = "KEY", description = "A label to remove; may be repeated.")
    private List<String> removedLabels = new ArrayList<>();

    @Option(
            names = "--expected-revision",
            paramLabel = "N",
            description = "Change only if the stream has this revision (see describe); else exit 4.")
    private @Nullable Long expectedRevision;

    @Override
    void prepare(OutputFormat format) {
        if (maxRecordBytes == null && labels.isEmpty() && removedLabels.isEmpty()) {
            throw new UsageException("nothing to change: give --max-record-bytes, --label or --remove-label");
        }
    }

    @Override
    void run(TidemarkClient client, Output output) throws IOException {
        StreamUpdate update = new StreamUpdate(
                maxRecordBytes == null ? OptionalInt.empty() : OptionalInt.of(maxRecordBytes),
                labels,
                removedLabels,
                expectedRevision == null ? OptionalLong.empty() : OptionalLong.of(expectedRevision));
        Streams.print(client.updateStream(name, update), output);
    }
}
