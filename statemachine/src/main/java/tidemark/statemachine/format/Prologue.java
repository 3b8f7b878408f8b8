package tidemark.statemachine.format;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import tidemark.statemachine.env.Crc32c;
import tidemark.statemachine.env.StorageException;

/**
 * How files of segments and indexes begin, in every version of their format, so that another version can be told from damage. Numbers
 * are little-endian.
 *
 * <pre>
 *   0         8         12
 *   +---------+---------+------------+
 *   | magic   | version | CRC32C of  |
 *   | 8 bytes | u32     | these, u32 |
 *   +---------+---------+------------+
 * </pre>
 *
 * @param magic 8 ASCII characters
 * @param oldest lowest version that can be read
 * @param newest highest version that can be read, and the one that is written
 */
record Prologue(String magic, int oldest, int newest) {
    static final int MAGIC_AT = 0;
    static final int VERSION_AT = MAGIC_AT + 8;
    static final int CRC_AT = VERSION_AT + Integer.BYTES;
    static final int BYTES = CRC_AT + Integer.BYTES;

    /** Writes it at the beginning of a little-endian buffer. */
    void encode(ByteBuffer file) {
        file.put(MAGIC_AT, magic.getBytes(US_ASCII));
        file.putInt(VERSION_AT, newest);
        file.putInt(CRC_AT, crc(file));
    }

    /** Checks the beginning of a file; the buffer (little-endian) is indexed from 0. */
    void check(String path, ByteBuffer file) throws StorageException {
        if (file.limit() < BYTES) {
            throw new StorageException.Corrupt(
                    path, file.limit(), "a prologue of " + BYTES + " bytes", "the end of the file");
        }
        if (!file.slice(MAGIC_AT, VERSION_AT - MAGIC_AT).equals(ByteBuffer.wrap(magic.getBytes(US_ASCII)))) {
            throw new StorageException.Corrupt(path, MAGIC_AT, "the magic number " + magic, "other bytes");
        }
        checkCrc(path, CRC_AT, file.getInt(CRC_AT), crc(file));
        int version = file.getInt(VERSION_AT);
        if (version < oldest || version > newest) {
            throw new StorageException.UnsupportedVersion(path, version, oldest, newest);
        }
    }

    private static int crc(ByteBuffer file) {
        return Crc32c.of(file.slice(MAGIC_AT, CRC_AT));
    }

    static void checkCrc(String path, long at, int stored, int computed) throws StorageException {
        if (stored != computed) {
            throw new StorageException.Corrupt(
                    path, at, "CRC32C " + Crc32c.toText(computed) + " as of the contents", Crc32c.toText(stored));
        }
    }
}
