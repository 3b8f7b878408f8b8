package tidemark.statemachine.format;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.UUID;
import tidemark.statemachine.env.Crc32c;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.model.StreamId;

/**
 * What a segment file begins with; frames ({@link FrameCodec}) follow. The same on all replicas. Numbers are little-endian; the stream
 * id is in the order in which it is printed.
 *
 * <pre>
 *   0              16          32            40
 *   +--------------+-----------+-------------+------------+--------
 *   | prologue     | stream id | base offset | CRC32C u32 | frames…
 *   | "TDMKSEGM"   | 16 bytes  | i64         | of 0 to 40 |
 *   +--------------+-----------+-------------+------------+--------
 * </pre>
 *
 * @param baseOffset offset of the first record
 */
public record SegmentHeader(StreamId stream, long baseOffset) {
    /** Versions of the format that can be read; the newest is written. */
    public static final int VERSION_OLDEST = 1;

    public static final int VERSION_NEWEST = 1;

    static final int STREAM_AT = Prologue.BYTES;
    static final int BASE_AT = STREAM_AT + 2 * Long.BYTES;
    static final int CRC_AT = BASE_AT + Long.BYTES;

    /** Length of the header: where the first frame begins. */
    public static final int BYTES = CRC_AT + Integer.BYTES;

    private static final Prologue PROLOGUE = new Prologue("TDMKSEGM", VERSION_OLDEST, VERSION_NEWEST);

    /** Puts the header at the buffer's position, and moves that behind it. */
    public void encode(ByteBuffer target) {
        ByteBuffer header = target.slice(target.position(), BYTES).order(ByteOrder.LITTLE_ENDIAN);
        PROLOGUE.encode(header);
        Ids.put(header, STREAM_AT, stream.value());
        header.putLong(BASE_AT, baseOffset);
        header.putInt(CRC_AT, Crc32c.of(header.slice(0, CRC_AT)));
        target.position(target.position() + BYTES);
    }

    /**
     * Reads and checks a header.
     *
     * @param start the first bytes of the file, all or at least {@link #BYTES} of them, from the buffer's position
     */
    public static SegmentHeader decode(String path, ByteBuffer start) throws StorageException {
        ByteBuffer header = start.slice().order(ByteOrder.LITTLE_ENDIAN);
        PROLOGUE.check(path, header);
        if (header.limit() < BYTES) {
            throw new StorageException.Corrupt(
                    path, header.limit(), "a segment header of " + BYTES + " bytes", "the end of the file");
        }
        Prologue.checkCrc(path, CRC_AT, header.getInt(CRC_AT), Crc32c.of(header.slice(0, CRC_AT)));
        UUID stream = Ids.get(header, STREAM_AT);
        return new SegmentHeader(new StreamId(stream), header.getLong(BASE_AT));
    }

    /** As {@link #decode}, and checks that it is the header that the file should have. */
    public void check(String path, ByteBuffer start) throws StorageException {
        SegmentHeader found = decode(path, start);
        if (!found.stream.equals(stream)) {
            throw new StorageException.Corrupt(path, STREAM_AT, "stream " + stream, found.stream.toString());
        }
        if (found.baseOffset != baseOffset) {
            throw new StorageException.Corrupt(
                    path, BASE_AT, "base offset " + baseOffset, Long.toString(found.baseOffset));
        }
    }
}
