package tidemark.statemachine.env;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** CRC32C (Castagnoli), the checksum of everything that the engine stores. */
public final class Crc32c {
    private Crc32c() {}

    /** Checksum of the remaining bytes of all parts, in order. The buffers' positions stay. */
    public static int of(ByteBuffer... parts) {
        CRC32C crc = new CRC32C();
        for (ByteBuffer part : parts) {
            crc.update(part.duplicate());
        }
        return (int) crc.getValue();
    }

    /** For messages: eight hexadecimal digits. */
    public static String toText(int crc) {
        return String.format("%08x", crc);
    }
}
