package tidemark.statemachine.format;

import java.nio.ByteBuffer;

/**
 * Records that were appended together, encoded once by whoever formed the batch. The engine never looks into the body.
 *
 * @param recordCount 1 to {@link #RECORDS_MAX}
 * @param compression of the body: 0 none; others are reserved for the API to name
 * @param uncompressedBytes length of the body once decompressed
 * @param crc32c over the three numbers above (each 4 bytes, little-endian) and the body
 * @param body a RecordBatch message of the API, maybe compressed; read-only, never changed afterwards
 */
public record Batch(int recordCount, int compression, int uncompressedBytes, int crc32c, ByteBuffer body) {
    /** Most records of one batch. */
    public static final int RECORDS_MAX = 65_536;

    /** Most bytes of one body. */
    public static final int BODY_BYTES_MAX = 1 << 20;
}
