package tidemark.client;

import com.google.protobuf.CodedOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import tidemark.v1.Header;
import tidemark.v1.Record;
import tidemark.v1.RecordBatch;

/** The protocol's fixed limits, checked before anything is sent, so that one bad record does not fail its neighbours. */
final class RecordLimits {
    static final int BATCH_RECORDS_MAX = 65_536;
    static final int BATCH_BYTES_MAX = 1 << 20;
    static final int RECORD_BYTES_MAX = 1_000_000;
    static final int KEY_BYTES_MAX = 64 << 10;
    static final int HEADERS_MAX = 64;
    static final int HEADER_NAME_BYTES_MAX = 255;

    /** Field number and type of one record of a batch. */
    private static final int RECORD_TAG_BYTES = CodedOutputStream.computeTagSize(RecordBatch.RECORDS_FIELD_NUMBER);

    private RecordLimits() {}

    /** Payload, key, header names and values. */
    static long sizeBytes(Record record) {
        long bytes = record.getPayload().size() + (long) record.getKey().size();
        for (Header header : record.getHeadersList()) {
            bytes += header.getNameBytes().size() + (long) header.getValue().size();
        }
        return bytes;
    }

    /** What a record adds to the encoding of a batch. */
    static int encodedBytes(Record record) {
        int size = record.getSerializedSize();
        return RECORD_TAG_BYTES + CodedOutputStream.computeUInt32SizeNoTag(size) + size;
    }

    /**
     * Checks records that are to be appended atomically, and answers their encoded size.
     *
     * @throws TidemarkException.InvalidRequest if there is none, or a header's name is empty
     * @throws TidemarkException.TooLarge if a limit of the protocol is exceeded
     */
    static int check(String stream, List<LogRecord> records) {
        if (records.isEmpty()) {
            throw new TidemarkException.InvalidRequest(stream, "records", "an append needs at least one record", null);
        }
        requireAtMost(stream, "records of a batch", records.size(), BATCH_RECORDS_MAX);
        long encoded = 0;
        for (LogRecord record : records) {
            check(stream, record.proto());
            encoded += encodedBytes(record.proto());
        }
        requireAtMost(stream, "batch bytes", encoded, BATCH_BYTES_MAX);
        return (int) encoded;
    }

    private static void check(String stream, Record record) {
        requireAtMost(stream, "key bytes", record.getKey().size(), KEY_BYTES_MAX);
        requireAtMost(stream, "headers of a record", record.getHeadersCount(), HEADERS_MAX);
        for (Header header : record.getHeadersList()) {
            if (header.getName().isEmpty()) {
                throw new TidemarkException.InvalidRequest(
                        stream, "records.headers.name", "a header's name must not be empty", null);
            }
            requireAtMost(
                    stream,
                    "header name bytes",
                    header.getName().getBytes(StandardCharsets.UTF_8).length,
                    HEADER_NAME_BYTES_MAX);
        }
        requireAtMost(stream, "record bytes", sizeBytes(record), RECORD_BYTES_MAX);
    }

    private static void requireAtMost(String stream, String what, long actual, long limit) {
        if (actual > limit) {
            throw new TidemarkException.TooLarge(
                    stream,
                    what + ": " + actual + ", but at most " + limit + " are allowed",
                    what,
                    actual,
                    limit,
                    null);
        }
    }
}
