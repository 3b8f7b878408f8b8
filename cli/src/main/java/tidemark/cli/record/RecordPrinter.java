package tidemark.cli.record;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import tidemark.client.StoredLogRecord;

/** Prints records to an output that the caller buffers and flushes. */
public interface RecordPrinter {
    /** Prints one record. */
    void print(StoredLogRecord record, OutputStream out) throws IOException;

    /** Payloads byte for byte, with the mark of {@code cut} after each. */
    static RecordPrinter payloads(Cut cut) {
        return (stored, out) -> {
            stored.record().writePayloadTo(out);
            switch (cut) {
                case LINE -> out.write('\n');
                case NULL -> out.write(0);
                case NONE -> {}
            }
        };
    }

    /** One JSON object a line, with all that is known of a record. */
    static RecordPrinter json() {
        return (stored, out) -> {
            out.write(RecordJson.of(stored).toString().getBytes(StandardCharsets.UTF_8));
            out.write('\n');
        };
    }
}
