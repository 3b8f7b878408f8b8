package tidemark.client;

import java.time.Instant;
import java.util.OptionalLong;
import tidemark.v1.Position;

/** Where to start reading, or where to cut. Immutable. */
public final class LogPosition {
    private final Position proto;

    private LogPosition(Position.Builder proto) {
        this.proto = proto.build();
    }

    /** This offset, at least 0. */
    public static LogPosition offset(long offset) {
        return new LogPosition(Position.newBuilder().setOffset(offset));
    }

    /** The first record whose timestamp is at or after this (milliseconds since the Unix epoch); the end if there is none. */
    public static LogPosition timestampMs(long timestampMs) {
        return new LogPosition(Position.newBuilder().setTimestampMs(timestampMs));
    }

    /** The first record at or after this time; the end if there is none. */
    public static LogPosition time(Instant time) {
        return timestampMs(time.toEpochMilli());
    }

    /** The last {@code count} records, or fewer if there are fewer. 0 is the same as {@link #end()}. */
    public static LogPosition last(long count) {
        return new LogPosition(Position.newBuilder().setLast(count));
    }

    /** The first readable record. */
    public static LogPosition start() {
        return new LogPosition(Position.newBuilder().setStart(Position.Start.getDefaultInstance()));
    }

    /** The offset that the next record will get. */
    public static LogPosition end() {
        return new LogPosition(Position.newBuilder().setEnd(Position.End.getDefaultInstance()));
    }

    /** The offset, if this is one. */
    public OptionalLong asOffset() {
        return proto.hasOffset() ? OptionalLong.of(proto.getOffset()) : OptionalLong.empty();
    }

    Position proto() {
        return proto;
    }

    @Override
    public boolean equals(@org.jspecify.annotations.Nullable Object other) {
        return other instanceof LogPosition that && proto.equals(that.proto);
    }

    @Override
    public int hashCode() {
        return proto.hashCode();
    }

    @Override
    public String toString() {
        return switch (proto.getAtCase()) {
            case OFFSET -> "offset " + proto.getOffset();
            case TIMESTAMP_MS -> "timestamp " + proto.getTimestampMs() + " ms";
            case LAST -> "last " + proto.getLast();
            case START -> "start";
            case END -> "end";
            case AT_NOT_SET -> throw new IllegalStateException("a position is always set");
        };
    }
}
