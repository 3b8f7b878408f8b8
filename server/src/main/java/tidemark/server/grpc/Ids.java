package tidemark.server.grpc;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.UUID;

/** Ids as the 16 bytes that servers send each other. */
final class Ids {
    private Ids() {}

    static ByteString bytes(UUID id) {
        return ByteString.copyFrom(ByteBuffer.allocate(16)
                .putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits())
                .flip());
    }

    /** Empty if these are not 16 bytes. */
    static Optional<UUID> parse(ByteString bytes) {
        if (bytes.size() != 16) {
            return Optional.empty();
        }
        ByteBuffer buffer = bytes.asReadOnlyByteBuffer();
        return Optional.of(new UUID(buffer.getLong(), buffer.getLong()));
    }
}
