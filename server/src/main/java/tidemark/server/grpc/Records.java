package tidemark.server.grpc;

import com.google.protobuf.InvalidProtocolBufferException;
import java.nio.ByteBuffer;
import java.util.List;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.format.Batch;
import tidemark.statemachine.format.StoredBatch;
import tidemark.v1.Header;
import tidemark.v1.Record;
import tidemark.v1.RecordBatch;

/** Records as the API has them, to and from batches as the engine has them. */
final class Records {
    static final int KEY_BYTES_MAX = 64 << 10;
    static final int HEADERS_MAX = 64;
    static final int HEADER_NAME_BYTES_MAX = 255;

    /** The body of a batch is a RecordBatch as it is. */
    private static final int NOT_COMPRESSED = 0;

    private Records() {}

    /**
     * Checks records against all limits and encodes them.
     *
     * @param recordBytesMax the stream's own limit
     */
    static Batch encode(String stream, List<Record> records, int recordBytesMax) {
        if (records.isEmpty()) {
            throw Errors.invalidField(stream, "records", "an append has at least one record");
        }
        if (records.size() > Batch.RECORDS_MAX) {
            throw Errors.tooLarge(stream, "records", records.size(), Batch.RECORDS_MAX);
        }
        for (int i = 0; i < records.size(); i++) {
            check(stream, i, records.get(i), recordBytesMax);
        }
        RecordBatch body = RecordBatch.newBuilder().addAllRecords(records).build();
        int bytes = body.getSerializedSize();
        if (bytes > Batch.BODY_BYTES_MAX) {
            throw Errors.tooLarge(stream, "batch bytes", bytes, Batch.BODY_BYTES_MAX);
        }
        return Batch.of(records.size(), NOT_COMPRESSED, bytes, ByteBuffer.wrap(body.toByteArray()));
    }

    private static void check(String stream, int index, Record record, int recordBytesMax) {
        if (record.getKey().size() > KEY_BYTES_MAX) {
            throw Errors.tooLarge(
                    stream,
                    "key bytes of records[" + index + "]",
                    record.getKey().size(),
                    KEY_BYTES_MAX);
        }
        if (record.getHeadersCount() > HEADERS_MAX) {
            throw Errors.tooLarge(stream, "headers of records[" + index + "]", record.getHeadersCount(), HEADERS_MAX);
        }
        for (int i = 0; i < record.getHeadersCount(); i++) {
            int name = record.getHeaders(i).getNameBytes().size();
            String field = "records[" + index + "].headers[" + i + "].name";
            if (name == 0) {
                throw Errors.invalidField(stream, field, "a header has a name");
            }
            if (name > HEADER_NAME_BYTES_MAX) {
                throw Errors.tooLarge(stream, "bytes of " + field, name, HEADER_NAME_BYTES_MAX);
            }
        }
        long bytes = bytes(record);
        if (bytes > recordBytesMax) {
            throw Errors.tooLarge(stream, "record bytes of records[" + index + "]", bytes, recordBytesMax);
        }
    }

    /** What limits count of a record: payload, key, header names and values. */
    static long bytes(Record record) {
        long bytes = (long) record.getPayload().size() + record.getKey().size();
        for (Header header : record.getHeadersList()) {
            bytes += (long) header.getNameBytes().size() + header.getValue().size();
        }
        return bytes;
    }

    /** @throws StorageException.Corrupt if the body is not what the batch says */
    static List<Record> decode(StoredBatch stored) throws StorageException {
        Batch batch = stored.batch();
        String where = "batch at offset " + stored.baseOffset();
        if (batch.compression() != NOT_COMPRESSED) {
            throw new StorageException(
                    where + " is compressed in a way (" + batch.compression() + ") this version cannot read");
        }
        List<Record> records;
        try {
            records = RecordBatch.parseFrom(batch.body().duplicate()).getRecordsList();
        } catch (InvalidProtocolBufferException malformed) {
            throw new StorageException.Corrupt(where, 0, "a RecordBatch", String.valueOf(malformed.getMessage()));
        }
        if (records.size() != batch.recordCount()) {
            throw new StorageException.Corrupt(where, 0, batch.recordCount() + " records", records.size() + " records");
        }
        return records;
    }
}
