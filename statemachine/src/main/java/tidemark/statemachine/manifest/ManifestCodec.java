package tidemark.statemachine.manifest;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import tidemark.statemachine.env.Crc32c;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.manifest.ManifestStore.Stored;
import tidemark.statemachine.model.LogPosition;

/**
 * The bytes of a manifest file. Numbers are little-endian.
 *
 * <pre>
 *   0         8         12           16               20     28      36           40
 *   +---------+---------+------------+----------------+------+-------+------------+---------
 *   | magic   | version | prologue   | payload length | term | index | CRC32C     | payload
 *   | 8 bytes | u32     | CRC32C u32 | u32            | i64  | i64   | u32        |
 *   +---------+---------+------------+----------------+------+-------+------------+---------
 *   |&lt;---- prologue ----&gt;|
 * </pre>
 *
 * The prologue has a checksum of its own and this layout in every version, so that a newer format can be told from damage. The second
 * checksum covers all that is before it, and the payload. Nothing follows the payload.
 */
final class ManifestCodec {
    static final int VERSION_OLDEST = 1;
    static final int VERSION_NEWEST = 1;

    static final int MAGIC_AT = 0;
    static final int VERSION_AT = MAGIC_AT + 8;
    static final int PROLOGUE_CRC_AT = VERSION_AT + Integer.BYTES;
    static final int PAYLOAD_LENGTH_AT = PROLOGUE_CRC_AT + Integer.BYTES;
    static final int TERM_AT = PAYLOAD_LENGTH_AT + Integer.BYTES;
    static final int INDEX_AT = TERM_AT + Long.BYTES;
    static final int CRC_AT = INDEX_AT + Long.BYTES;
    static final int PAYLOAD_AT = CRC_AT + Integer.BYTES;

    private static final byte[] MAGIC = "TDMKMANI".getBytes(US_ASCII);

    private ManifestCodec() {}

    static byte[] encode(LogPosition position, byte[] payload) {
        if (position.term() < 0 || position.index() < 0) {
            throw new IllegalArgumentException(
                    "no manifest can be made of a position before the first entry: " + position);
        }
        if (payload.length > ManifestStore.PAYLOAD_BYTES_MAX) {
            throw new IllegalArgumentException("manifest payload of " + payload.length + " bytes is over the limit of "
                    + ManifestStore.PAYLOAD_BYTES_MAX);
        }
        ByteBuffer file = ByteBuffer.allocate(PAYLOAD_AT + payload.length).order(ByteOrder.LITTLE_ENDIAN);
        file.put(MAGIC_AT, MAGIC);
        file.putInt(VERSION_AT, VERSION_NEWEST);
        file.putInt(PROLOGUE_CRC_AT, prologueCrc(file));
        file.putInt(PAYLOAD_LENGTH_AT, payload.length);
        file.putLong(TERM_AT, position.term());
        file.putLong(INDEX_AT, position.index());
        file.put(PAYLOAD_AT, payload);
        file.putInt(CRC_AT, crc(file));
        return file.array();
    }

    static Stored decode(String path, byte[] bytes) throws StorageException {
        ByteBuffer file = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        checkPrologue(path, file);
        if (bytes.length < PAYLOAD_AT) {
            throw new StorageException.Corrupt(
                    path, bytes.length, "a header of " + PAYLOAD_AT + " bytes", "the end of the file");
        }
        int payloadLength = file.getInt(PAYLOAD_LENGTH_AT);
        if (payloadLength != bytes.length - PAYLOAD_AT) {
            throw new StorageException.Corrupt(
                    path,
                    PAYLOAD_LENGTH_AT,
                    "payload length " + (bytes.length - PAYLOAD_AT) + ", as the file has",
                    Integer.toUnsignedString(payloadLength));
        }
        checkCrc(path, CRC_AT, file.getInt(CRC_AT), crc(file));
        LogPosition position = new LogPosition(file.getLong(TERM_AT), file.getLong(INDEX_AT));
        byte[] payload = new byte[payloadLength];
        file.get(PAYLOAD_AT, payload);
        return new Stored(position, payload, path);
    }

    private static void checkPrologue(String path, ByteBuffer file) throws StorageException {
        if (file.capacity() < PAYLOAD_LENGTH_AT) {
            throw new StorageException.Corrupt(
                    path, file.capacity(), "a prologue of " + PAYLOAD_LENGTH_AT + " bytes", "the end of the file");
        }
        if (!file.slice(MAGIC_AT, MAGIC.length).equals(ByteBuffer.wrap(MAGIC))) {
            throw new StorageException.Corrupt(path, MAGIC_AT, "the magic number of a manifest", "other bytes");
        }
        checkCrc(path, PROLOGUE_CRC_AT, file.getInt(PROLOGUE_CRC_AT), prologueCrc(file));
        int version = file.getInt(VERSION_AT);
        if (version < VERSION_OLDEST || version > VERSION_NEWEST) {
            throw new StorageException.UnsupportedVersion(path, version, VERSION_OLDEST, VERSION_NEWEST);
        }
    }

    private static void checkCrc(String path, int at, int stored, int computed) throws StorageException {
        if (stored != computed) {
            throw new StorageException.Corrupt(
                    path, at, "CRC32C " + Crc32c.toText(computed) + " as of the contents", Crc32c.toText(stored));
        }
    }

    private static int prologueCrc(ByteBuffer file) {
        return Crc32c.of(file.slice(MAGIC_AT, PROLOGUE_CRC_AT));
    }

    private static int crc(ByteBuffer file) {
        return Crc32c.of(file.slice(0, CRC_AT), file.slice(PAYLOAD_AT, file.capacity() - PAYLOAD_AT));
    }
}
