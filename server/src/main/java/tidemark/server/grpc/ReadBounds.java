package tidemark.server.grpc;

import java.util.OptionalLong;
import tidemark.v1.Position;
import tidemark.v1.ReadMode;
import tidemark.v1.ReadRequest;

/**
 * What a reader asked for, checked.
 *
 * @param untilOffset no record at or after this; {@link Long#MAX_VALUE} if not bounded
 * @param untilTimestampMs no record of this time or later; {@link Long#MAX_VALUE} if not bounded
 * @param maxRecords at least 1; {@link Long#MAX_VALUE} if not bounded
 * @param maxBytes at least 1; {@link Long#MAX_VALUE} if not bounded
 * @param leader only from the leader
 */
record ReadBounds(
        Position from,
        boolean follow,
        long untilOffset,
        long untilTimestampMs,
        long maxRecords,
        long maxBytes,
        boolean leader) {
    /** @throws io.grpc.StatusRuntimeException INVALID_FIELD */
    static ReadBounds of(ReadRequest q) {
        String stream = q.getStream();
        Position from = q.hasFrom()
                ? Requests.position(stream, "from", q.getFrom())
                : Position.newBuilder()
                        .setStart(Position.Start.getDefaultInstance())
                        .build();
        return new ReadBounds(
                from,
                q.getFollow(),
                orUnbounded(Requests.atLeast(0, stream, "until_offset", q.hasUntilOffset(), q.getUntilOffset())),
                orUnbounded(Requests.atLeast(
                        0, stream, "until_timestamp_ms", q.hasUntilTimestampMs(), q.getUntilTimestampMs())),
                orUnbounded(Requests.atLeast(1, stream, "max_records", q.hasMaxRecords(), q.getMaxRecords())),
                orUnbounded(Requests.atLeast(1, stream, "max_bytes", q.hasMaxBytes(), q.getMaxBytes())),
                q.getMode() != ReadMode.READ_MODE_ANY);
    }

    private static long orUnbounded(OptionalLong bound) {
        return bound.orElse(Long.MAX_VALUE);
    }
}
