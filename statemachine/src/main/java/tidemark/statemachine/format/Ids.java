package tidemark.statemachine.format;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.UUID;

/** Ids as 16 bytes, in the order in which they are printed, whatever the order of a buffer's numbers. */
public final class Ids {
    /** Length of an id. */
    public static final int BYTES = 2 * Long.BYTES;

    private Ids() {}

    static void put(ByteBuffer target, int at, UUID id) {
        target.slice(at, BYTES)
                .order(ByteOrder.BIG_ENDIAN)
                .putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits());
    }

    static UUID get(ByteBuffer source, int at) {
        ByteBuffer bytes = source.slice(at, BYTES).order(ByteOrder.BIG_ENDIAN);
        return new UUID(bytes.getLong(), bytes.getLong());
    }

    /** The id that a buffer's remaining 16 bytes are. */
    public static UUID of(ByteBuffer bytes) {
        if (bytes.remaining() != BYTES) {
            throw new IllegalArgumentException("an id has 16 bytes, not " + bytes.remaining());
        }
        return get(bytes, bytes.position());
    }

    /** The 16 bytes of an id. */
    public static ByteBuffer bytes(UUID id) {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES);
        put(bytes, 0, id);
        return bytes;
    }
}
