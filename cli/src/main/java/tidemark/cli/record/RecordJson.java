package tidemark.cli.record;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import tidemark.cli.text.Amounts;
import tidemark.cli.text.Json;
import tidemark.client.LogRecord;
import tidemark.client.StoredLogRecord;
import tidemark.v1.Header;
import tidemark.v1.Record;

/** All that is known of a record, as one JSON object: the same whether it came from a server or from a file. */
public final class RecordJson {
    private RecordJson() {}

    static Json of(StoredLogRecord stored) {
        LogRecord record = stored.record();
        Json json = place(stored.offset(), stored.timestampMs());
        record.key().ifPresent(key -> json.addBytes("key", key));
        List<Json> headers = new ArrayList<>();
        for (LogRecord.Header header : record.headers()) {
            headers.add(header(header.name(), header.value()));
        }
        return content(json, headers, record.payload());
    }

    /** A record as a batch holds it, at its place. */
    public static Json of(long offset, long timestampMs, Record record) {
        Json json = place(offset, timestampMs);
        if (record.hasKey()) {
            json.addBytes("key", bytes(record.getKey()));
        }
        List<Json> headers = new ArrayList<>();
        for (Header header : record.getHeadersList()) {
            headers.add(header(header.getName(), bytes(header.getValue())));
        }
        return content(json, headers, bytes(record.getPayload()));
    }

    private static Json place(long offset, long timestampMs) {
        return new Json().add("offset", offset).add("timestamp_ms", timestampMs).add("time", Amounts.time(timestampMs));
    }

    private static Json header(String name, ByteBuffer value) {
        return new Json().add("name", name).addBytes("value", value);
    }

    private static Json content(Json json, List<Json> headers, ByteBuffer payload) {
        if (!headers.isEmpty()) {
            json.addObjects("headers", headers);
        }
        return json.addBytes("payload", payload);
    }

    private static ByteBuffer bytes(ByteString bytes) {
        return bytes.asReadOnlyByteBuffer();
    }
}
