package tidemark.cli.command;

import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import tidemark.cli.record.RecordPrinter;
import tidemark.client.ReadOptions;
import tidemark.client.RecordReader;
import tidemark.client.StoredLogRecord;
import tidemark.client.TidemarkClient;
import tidemark.client.TidemarkException;

/** Copies records from a stream to the output. */
final class Printing {
    private Printing() {}

    /** Prints until the end of what was asked for. What was printed reaches its reader before this waits for more. */
    static void copy(TidemarkClient client, String stream, ReadOptions options, RecordPrinter printer, Output output)
            throws IOException {
        try (RecordReader reader = client.read(stream, options)) {
            while (true) {
                @Nullable StoredLogRecord record = reader.poll(Duration.ZERO);
                if (record == null) {
                    output.flush();
                    record = reader.next();
                }
                if (record == null) {
                    return;
                }
                printer.print(record, output.stream());
            }
        } catch (TidemarkException e) {
            // What was read before a gap or the loss of the servers is delivered in full.
            output.flush();
            throw e;
        }
    }
}
