package tidemark.statemachine.format;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import tidemark.statemachine.env.Crc32c;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.format.FrameHeader.BatchHeader;

/**
 * The bytes of a frame: one batch in a segment. Numbers are little-endian.
 *
 * <pre>
 *   0        2         4          8             16          24     32      40             44
 *   +--------+---------+----------+-------------+-----------+------+-------+--------------+
 *   | marker | version | header   | base offset | timestamp | term | index | length of    |   known when the entry
 *   | u16    | u16     | CRC32C   | i64         | ms, i64   | i64  | i64   | what follows |   is applied
 *   |        |         | u32      |             |           |      |       | u32          |
 *   +--------+---------+----------+-------------+-----------+------+-------+--------------+
 *   44       48            52             56          60
 *   +--------+-------------+--------------+-----------+-----------
 *   | record | compression | uncompressed | batch     | body…         as whoever formed the batch encoded it:
 *   | count  | u32         | bytes        | CRC32C    |               not changed between writer and reader
 *   | u32    |             | u32          | u32       |
 *   +--------+-------------+--------------+-----------+-----------
 * </pre>
 *
 * The header checksum covers the first 60 bytes but for itself, so a frame can be passed over without reading its body. The batch
 * checksum covers record count, compression, uncompressed bytes and body ({@link Batch}). The first 44 bytes, and what the header
 * checksum covers, are the same in every version of the format.
 */
public final class FrameCodec {
    static final int VERSION_OLDEST = 1;
    static final int VERSION_NEWEST = 1;
    static final short MARKER = 0x4D54; // "TM"

    static final int MARKER_AT = 0;
    static final int VERSION_AT = MARKER_AT + Short.BYTES;
    static final int HEADER_CRC_AT = VERSION_AT + Short.BYTES;
    static final int BASE_AT = HEADER_CRC_AT + Integer.BYTES;
    static final int TIMESTAMP_AT = BASE_AT + Long.BYTES;
    static final int TERM_AT = TIMESTAMP_AT + Long.BYTES;
    static final int INDEX_AT = TERM_AT + Long.BYTES;
    static final int LENGTH_AT = INDEX_AT + Long.BYTES;
    static final int COUNT_AT = LENGTH_AT + Integer.BYTES;
    static final int COMPRESSION_AT = COUNT_AT + Integer.BYTES;
    static final int UNCOMPRESSED_AT = COMPRESSION_AT + Integer.BYTES;
    static final int BATCH_CRC_AT = UNCOMPRESSED_AT + Integer.BYTES;
    static final int BODY_AT = BATCH_CRC_AT + Integer.BYTES;

    /** Length of all that stands before the body. */
    public static final int HEADER_BYTES = BODY_AT;

    /** Most bytes of one frame. */
    public static final int FRAME_BYTES_MAX = HEADER_BYTES + Batch.BODY_BYTES_MAX;

    private FrameCodec() {}

    /** Length of the frame of a batch. */
    public static int frameBytes(Batch batch) {
        return HEADER_BYTES + batch.body().remaining();
    }

    /** Whether a frame might begin at an index of a buffer: for searching. */
    public static boolean mayBegin(ByteBuffer bytes, int index) {
        return bytes.get(index) == (byte) MARKER && bytes.get(index + 1) == (byte) (MARKER >> Byte.SIZE);
    }

    /** Puts a frame at the buffer's position, and moves that behind it. */
    public static void encode(ByteBuffer target, StoredBatch stored) {
        Batch batch = stored.batch();
        int start = target.position();
        int bodyBytes = batch.body().remaining();
        ByteBuffer frame = target.slice(start, HEADER_BYTES + bodyBytes).order(ByteOrder.LITTLE_ENDIAN);
        frame.putShort(MARKER_AT, MARKER);
        frame.putShort(VERSION_AT, (short) VERSION_NEWEST);
        frame.putLong(BASE_AT, stored.baseOffset());
        frame.putLong(TIMESTAMP_AT, stored.timestampMs());
        frame.putLong(TERM_AT, stored.term());
        frame.putLong(INDEX_AT, stored.index());
        frame.putInt(LENGTH_AT, BODY_AT - COUNT_AT + bodyBytes);
        frame.putInt(COUNT_AT, batch.recordCount());
        frame.putInt(COMPRESSION_AT, batch.compression());
        frame.putInt(UNCOMPRESSED_AT, batch.uncompressedBytes());
        frame.putInt(BATCH_CRC_AT, batch.crc32c());
        frame.putInt(HEADER_CRC_AT, headerCrc(frame));
        frame.position(BODY_AT);
        frame.put(batch.body().duplicate());
        target.position(start + HEADER_BYTES + bodyBytes);
    }

    /**
     * Reads and checks what stands before the body.
     *
     * @param position where the frame begins in the file, for messages
     * @param bytes the frame's first {@link #HEADER_BYTES} or more, from the buffer's position, which stays
     * @throws StorageException.Corrupt if this is no frame, or damaged
     * @throws StorageException.UnsupportedVersion if it is intact, and of another version
     */
    public static FrameHeader header(String path, long position, ByteBuffer bytes) throws StorageException {
        if (bytes.remaining() < HEADER_BYTES) {
            throw new StorageException.Corrupt(
                    path, position, "a frame header of " + HEADER_BYTES + " bytes", bytes.remaining() + " bytes");
        }
        ByteBuffer frame = bytes.slice(bytes.position(), HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        short marker = frame.getShort(MARKER_AT);
        if (marker != MARKER) {
            throw new StorageException.Corrupt(
                    path, position + MARKER_AT, "a frame's marker " + text(MARKER), text(marker));
        }
        Prologue.checkCrc(path, position + HEADER_CRC_AT, frame.getInt(HEADER_CRC_AT), headerCrc(frame));
        int version = Short.toUnsignedInt(frame.getShort(VERSION_AT));
        if (version < VERSION_OLDEST || version > VERSION_NEWEST) {
            throw new StorageException.UnsupportedVersion(
                    path + " at byte " + position, version, VERSION_OLDEST, VERSION_NEWEST);
        }
        FrameHeader header = new FrameHeader(
                frame.getLong(BASE_AT),
                frame.getLong(TIMESTAMP_AT),
                frame.getLong(TERM_AT),
                frame.getLong(INDEX_AT),
                new BatchHeader(
                        frame.getInt(COUNT_AT),
                        frame.getInt(COMPRESSION_AT),
                        frame.getInt(UNCOMPRESSED_AT),
                        frame.getInt(BATCH_CRC_AT),
                        frame.getInt(LENGTH_AT) - (BODY_AT - COUNT_AT)));
        checkRules(path, position, header);
        return header;
    }

    /** What an intact header says must also be possible: nothing is allocated or skipped by a number that is not. */
    private static void checkRules(String path, long position, FrameHeader header) throws StorageException {
        BatchHeader batch = header.batch();
        if (batch.bodyBytes() < 0) {
            throw new StorageException.Corrupt(
                    path, position + LENGTH_AT, "a length of at least " + (BODY_AT - COUNT_AT), "a smaller one");
        }
        Optional<String> problem =
                Batch.problem(batch.recordCount(), batch.compression(), batch.uncompressedBytes(), batch.bodyBytes());
        if (problem.isPresent()) {
            throw new StorageException.Corrupt(path, position + COUNT_AT, "a valid batch", problem.get());
        }
        if (header.baseOffset() < 0 || header.endOffset() < 0) {
            throw new StorageException.Corrupt(
                    path, position + BASE_AT, "an offset of 0 or more", Long.toString(header.baseOffset()));
        }
    }

    /**
     * Takes the batch of a frame, and checks it. The body is not copied: it is a part of the buffer.
     *
     * @param header what {@link #header} returned for this place
     * @param bytes the whole frame or more, from the buffer's position, which stays; not changed afterwards by the caller
     */
    public static StoredBatch batch(String path, long position, FrameHeader header, ByteBuffer bytes)
            throws StorageException {
        BatchHeader numbers = header.batch();
        if (bytes.remaining() < header.frameBytes()) {
            throw new StorageException.Corrupt(
                    path, position, "a frame of " + header.frameBytes() + " bytes", bytes.remaining() + " bytes");
        }
        Batch batch = new Batch(
                numbers.recordCount(),
                numbers.compression(),
                numbers.uncompressedBytes(),
                numbers.crc32c(),
                bytes.slice(bytes.position() + BODY_AT, numbers.bodyBytes()));
        if (!batch.isIntact()) {
            Batch recomputed =
                    Batch.of(batch.recordCount(), batch.compression(), batch.uncompressedBytes(), batch.body());
            Prologue.checkCrc(path, position + BATCH_CRC_AT, batch.crc32c(), recomputed.crc32c());
        }
        return new StoredBatch(header.baseOffset(), header.timestampMs(), header.term(), header.index(), batch);
    }

    private static int headerCrc(ByteBuffer frame) {
        return Crc32c.of(frame.slice(MARKER_AT, HEADER_CRC_AT - MARKER_AT), frame.slice(BASE_AT, BODY_AT - BASE_AT));
    }

    private static String text(short marker) {
        return String.format("%04x", marker);
    }
}
