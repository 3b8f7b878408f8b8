package tidemark.server.grpc;

import java.util.OptionalLong;
import tidemark.statemachine.catalog.StreamName;
import tidemark.v1.AckLevel;
import tidemark.v1.Position;
import tidemark.v1.ReadMode;

/** Checks of request fields that several methods share. Each throws the error that the client gets. */
final class Requests {
    private Requests() {}

    /** A stream's name; the error does not repeat a bad one, which may be anything. */
    static String stream(String field, String name) {
        StreamName.problem(name).ifPresent(problem -> {
            throw Errors.invalidField("", field, problem);
        });
        return name;
    }

    static Target streamLeader(String field, String name) {
        return new Target(Target.Place.STREAM_LEADER, stream(field, name));
    }

    static Target catalogLeader(String field, String name) {
        return new Target(Target.Place.CATALOG_LEADER, stream(field, name));
    }

    /** Where a read of a stream must be served. */
    static Target reader(String stream, ReadMode mode) {
        return switch (mode) {
            case READ_MODE_ANY -> new Target(Target.Place.STREAM_REPLICA, stream("stream", stream));
            case READ_MODE_UNSPECIFIED, READ_MODE_LEADER, READ_MODE_LINEARIZABLE -> streamLeader("stream", stream);
            // A read of a kind that this server does not know must not be served more weakly than was asked for.
            case UNRECOGNIZED -> throw Errors.unknownField("mode");
        };
    }

    static void ackLevel(AckLevel level) {
        if (level == AckLevel.UNRECOGNIZED) {
            throw Errors.unknownField("ack_level");
        }
    }

    /** An optional number that must not be below another. */
    static OptionalLong atLeast(long minimum, String stream, String field, boolean present, long value) {
        if (!present) {
            return OptionalLong.empty();
        }
        if (value < minimum) {
            throw Errors.invalidField(stream, field, value + " is below " + minimum);
        }
        return OptionalLong.of(value);
    }

    /** A position with exactly one of its kinds, and no negative number. */
    static Position position(String stream, String field, Position position) {
        switch (position.getAtCase()) {
            case OFFSET -> atLeast(0, stream, field + ".offset", true, position.getOffset());
            case TIMESTAMP_MS -> atLeast(0, stream, field + ".timestamp_ms", true, position.getTimestampMs());
            case LAST -> atLeast(0, stream, field + ".last", true, position.getLast());
            case START, END -> {
                // Nothing that could be wrong.
            }
            case AT_NOT_SET ->
                throw Errors.invalidField(
                        stream, field, "one of offset, timestamp_ms, last, start and end must be set");
        }
        return position;
    }
}
