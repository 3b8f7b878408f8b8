package tidemark.statemachine.format;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import tidemark.statemachine.env.Crc32c;

/**
 * Records that were appended together, encoded once by whoever formed the batch. The engine never looks into the body.
 *
 * <p>The checksum is compared by the leader before it proposes the batch, and by every reader; not when an entry is applied. There a
 * damaged batch could be neither rejected (replicas would differ if only one of them had it damaged) nor a reason to stop (all
 * replicas would, for ever), so it is stored as it is, and reported as corrupt to who reads it.
 *
 * @param recordCount 1 to {@link #RECORDS_MAX}
 * @param compression of the body: 0 none; others, up to {@link #COMPRESSION_MAX}, are reserved for the API to name
 * @param uncompressedBytes length of the body once decompressed; at most {@link #UNCOMPRESSED_BYTES_MAX}
 * @param crc32c over the three numbers above (each 4 bytes, little-endian) and the body; see {@link #isIntact}
 * @param body a RecordBatch message of the API, maybe compressed; at most {@link #BODY_BYTES_MAX}; read-only, never changed afterwards
 */
public record Batch(int recordCount, int compression, int uncompressedBytes, int crc32c, ByteBuffer body) {
    /** Most records of one batch. */
    public static final int RECORDS_MAX = 65_536;

    /** Most bytes of one body. */
    public static final int BODY_BYTES_MAX = 1 << 20;

    /** Most bytes of one body once decompressed: bounds what a reader must be ready to hold. */
    public static final int UNCOMPRESSED_BYTES_MAX = 16 << 20;

    /** Highest number of a compression. */
    public static final int COMPRESSION_MAX = 255;

    private static final int NOT_COMPRESSED = 0;

    /** @throws IllegalArgumentException if it breaks a rule of {@link #problem} */
    public Batch {
        body = body.asReadOnlyBuffer();
        problem(recordCount, compression, uncompressedBytes, body.remaining()).ifPresent(problem -> {
            throw new IllegalArgumentException(problem);
        });
    }

    /**
     * A batch with the checksum that its contents have.
     *
     * @param body not changed afterwards by the caller
     */
    public static Batch of(int recordCount, int compression, int uncompressedBytes, ByteBuffer body) {
        return new Batch(
                recordCount,
                compression,
                uncompressedBytes,
                crc(recordCount, compression, uncompressedBytes, body),
                body);
    }

    /** Says which rule a batch of these numbers breaks, if any: for checking before one is made. */
    public static Optional<String> problem(int recordCount, int compression, int uncompressedBytes, int bodyBytes) {
        if (recordCount < 1 || recordCount > RECORDS_MAX) {
            return outOfRange("record count", recordCount, 1, RECORDS_MAX);
        }
        if (compression < 0 || compression > COMPRESSION_MAX) {
            return outOfRange("compression", compression, 0, COMPRESSION_MAX);
        }
        if (uncompressedBytes < 0 || uncompressedBytes > UNCOMPRESSED_BYTES_MAX) {
            return outOfRange("uncompressed bytes", uncompressedBytes, 0, UNCOMPRESSED_BYTES_MAX);
        }
        if (bodyBytes > BODY_BYTES_MAX) {
            return outOfRange("body bytes", bodyBytes, 0, BODY_BYTES_MAX);
        }
        if (compression == NOT_COMPRESSED && uncompressedBytes != bodyBytes) {
            return Optional.of("a batch that is not compressed has " + bodyBytes + " body bytes, but says it has "
                    + uncompressedBytes + " uncompressed");
        }
        return Optional.empty();
    }

    private static Optional<String> outOfRange(String what, int value, int least, int most) {
        return Optional.of(
                "batch with " + what + " " + Integer.toUnsignedString(value) + "; must be " + least + " to " + most);
    }

    /** Whether the checksum fits the contents. */
    public boolean isIntact() {
        return crc32c == crc(recordCount, compression, uncompressedBytes, body);
    }

    private static int crc(int recordCount, int compression, int uncompressedBytes, ByteBuffer body) {
        ByteBuffer numbers = ByteBuffer.allocate(3 * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        numbers.putInt(recordCount)
                .putInt(compression)
                .putInt(uncompressedBytes)
                .flip();
        return Crc32c.of(numbers, body);
    }
}
