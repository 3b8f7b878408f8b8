package tidemark.statemachine.format;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import tidemark.statemachine.env.Crc32c;
import tidemark.statemachine.env.StorageException;

/**
 * The bytes of an index file. It only says what its segment says too, so it need not be durable, and one that is missing, damaged or
 * not of the segment's length is made anew. Numbers are little-endian.
 *
 * <pre>
 *   0              16          32            40               48      52
 *   +--------------+-----------+-------------+----------------+-------+------------+-------------------------------
 *   | prologue     | stream id | base offset | length of the  | count | CRC32C u32 | count times: offset i64,
 *   | "TDMKINDX"   | 16 bytes  | i64         | segment, i64   | u32   | of 0 to 52 | timestamp i64, position i64
 *   |              |           |             |                |       | and entries|
 *   +--------------+-----------+-------------+----------------+-------+------------+-------------------------------
 * </pre>
 */
public final class IndexCodec {
    static final int STREAM_AT = Prologue.BYTES;
    static final int BASE_AT = STREAM_AT + Ids.BYTES;
    static final int LENGTH_AT = BASE_AT + Long.BYTES;
    static final int COUNT_AT = LENGTH_AT + Long.BYTES;
    static final int CRC_AT = COUNT_AT + Integer.BYTES;
    static final int ENTRIES_AT = CRC_AT + Integer.BYTES;
    static final int ENTRY_BYTES = 3 * Long.BYTES;

    /** Most entries of one index. */
    public static final int ENTRIES_MAX = 1 << 20;

    /** Most bytes of one index file. */
    public static final int FILE_BYTES_MAX = ENTRIES_AT + ENTRIES_MAX * ENTRY_BYTES;

    private static final Prologue PROLOGUE = new Prologue("TDMKINDX", 1, 1);

    private IndexCodec() {}

    /**
     * The bytes of a file.
     *
     * @param segment whose index it is
     * @param segmentBytes length of the segment that the entries cover
     */
    public static ByteBuffer encode(SegmentHeader segment, long segmentBytes, List<IndexEntry> entries) {
        if (entries.size() > ENTRIES_MAX) {
            throw new IllegalArgumentException(entries.size() + " index entries are over the limit of " + ENTRIES_MAX);
        }
        ByteBuffer file =
                ByteBuffer.allocate(ENTRIES_AT + entries.size() * ENTRY_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        PROLOGUE.encode(file);
        Ids.put(file, STREAM_AT, segment.stream().value());
        file.putLong(BASE_AT, segment.baseOffset());
        file.putLong(LENGTH_AT, segmentBytes);
        file.putInt(COUNT_AT, entries.size());
        file.position(ENTRIES_AT);
        for (IndexEntry entry : entries) {
            file.putLong(entry.offset()).putLong(entry.timestampMs()).putLong(entry.position());
        }
        file.rewind();
        file.putInt(CRC_AT, crc(file));
        return file;
    }

    /**
     * Reads and checks the bytes of a file.
     *
     * @throws StorageException.Corrupt if it is damaged, or not the index of this length of this segment
     */
    public static List<IndexEntry> decode(String path, ByteBuffer bytes, SegmentHeader segment, long segmentBytes)
            throws StorageException {
        ByteBuffer file = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
        PROLOGUE.check(path, file);
        long count = file.limit() < ENTRIES_AT ? -1 : Integer.toUnsignedLong(file.getInt(COUNT_AT));
        if (count < 0 || file.limit() != ENTRIES_AT + count * ENTRY_BYTES) {
            throw new StorageException.Corrupt(
                    path, COUNT_AT, "a header, and as many entries as it says", file.limit() + " bytes");
        }
        Prologue.checkCrc(path, CRC_AT, file.getInt(CRC_AT), crc(file));
        if (!Ids.get(file, STREAM_AT).equals(segment.stream().value())
                || file.getLong(BASE_AT) != segment.baseOffset()
                || file.getLong(LENGTH_AT) != segmentBytes) {
            throw new StorageException.Corrupt(
                    path, STREAM_AT, "the index of " + segment + ", length " + segmentBytes, "another one");
        }
        List<IndexEntry> entries = new ArrayList<>((int) count);
        file.position(ENTRIES_AT);
        while (file.hasRemaining()) {
            entries.add(new IndexEntry(file.getLong(), file.getLong(), file.getLong()));
        }
        return entries;
    }

    private static int crc(ByteBuffer file) {
        return Crc32c.of(file.slice(0, CRC_AT), file.slice(ENTRIES_AT, file.limit() - ENTRIES_AT));
    }
}
