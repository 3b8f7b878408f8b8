package tidemark.cli.record;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import tidemark.cli.text.Amounts;
import tidemark.cli.text.Json;
import tidemark.client.LogRecord;
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
            out.write(toJson(stored).toString().getBytes(StandardCharsets.UTF_8));
            out.write('\n');
        };
    }

    /** Offset, time, key (if there is one), headers (if there are any) and payload. */
    private static Json toJson(StoredLogRecord stored) {
        LogRecord record = stored.record();
        Json json = new Json()
                .add("offset", stored.offset())
                .add("timestamp_ms", stored.timestampMs())
                .add("time", Amounts.time(stored.timestampMs()));
        record.key().ifPresent(key -> json.addBytes("key", key));
        List<Json> headers = new ArrayList<>();
        for (LogRecord.Header header : record.headers()) {
            headers.add(new Json().add("name", header.name()).addBytes("value", header.value()));
        }
        if (!headers.isEmpty()) {
            json.addObjects("headers", headers);
        }
        return json.addBytes("payload", record.payload());
    }
}
