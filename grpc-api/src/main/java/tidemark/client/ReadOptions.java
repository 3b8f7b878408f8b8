package tidemark.client;

import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** What to read. Immutable; bounds that are not set do not bound. */
public final class ReadOptions {
    /** Default of {@link Builder#bufferBytes}. */
    public static final int DEFAULT_BUFFER_BYTES = 4 << 20;

    private final Builder values;

    private ReadOptions(Builder values) {
        this.values = values.copy();
    }

    /** From a position to the present end, mode {@link ReadMode#LEADER}. */
    public static ReadOptions from(LogPosition from) {
        return new Builder(from).build();
    }

    /** Starts options from a position. */
    public static Builder builder(LogPosition from) {
        return new Builder(from);
    }

    /** A builder with these values. */
    public Builder toBuilder() {
        return values.copy();
    }

    /** Where it starts. */
    public LogPosition from() {
        return values.from;
    }

    /** Whether it goes on with new records after the present end. */
    public boolean follow() {
        return values.follow;
    }

    /** Ends before this offset. */
    public OptionalLong untilOffset() {
        return optional(values.untilOffset);
    }

    /** Ends before the first record with this timestamp or a later one. */
    public OptionalLong untilTimestampMs() {
        return optional(values.untilTimestampMs);
    }

    /** Ends after so many records. */
    public OptionalLong maxRecords() {
        return optional(values.maxRecords);
    }

    /** Ends before the record that would make payload, key and header bytes exceed this; at least one is delivered. */
    public OptionalLong maxBytes() {
        return optional(values.maxBytes);
    }

    /** Which replica may answer. */
    public ReadMode mode() {
        return values.mode;
    }

    /** The only server that may answer, if one was chosen. */
    public Optional<Endpoint> replica() {
        return Optional.ofNullable(values.replica);
    }

    /** Bytes of records a reader holds ahead of its user before it stops asking for more. */
    public int bufferBytes() {
        return values.bufferBytes;
    }

    private static OptionalLong optional(@Nullable Long value) {
        return value == null ? OptionalLong.empty() : OptionalLong.of(value);
    }

    /** Builds options. Not thread-safe. */
    public static final class Builder {
        private LogPosition from;
        private boolean follow;
        private @Nullable Long untilOffset;
        private @Nullable Long untilTimestampMs;
        private @Nullable Long maxRecords;
        private @Nullable Long maxBytes;
        private ReadMode mode = ReadMode.LEADER;
        private @Nullable Endpoint replica;
        private int bufferBytes = DEFAULT_BUFFER_BYTES;

        private Builder(LogPosition from) {
            this.from = from;
        }

        private Builder copy() {
            Builder copy = new Builder(from);
            copy.follow = follow;
            copy.untilOffset = untilOffset;
            copy.untilTimestampMs = untilTimestampMs;
            copy.maxRecords = maxRecords;
            copy.maxBytes = maxBytes;
            copy.mode = mode;
            copy.replica = replica;
            copy.bufferBytes = bufferBytes;
            return copy;
        }

        /** Where to start. */
        public Builder from(LogPosition position) {
            from = position;
            return this;
        }

        /** Whether to go on with new records; default false. */
        public Builder follow(boolean value) {
            follow = value;
            return this;
        }

        /** End before this offset. */
        public Builder untilOffset(long offset) {
            untilOffset = offset;
            return this;
        }

        /** End before the first record with this timestamp or a later one. */
        public Builder untilTimestampMs(long timestampMs) {
            untilTimestampMs = timestampMs;
            return this;
        }

        /** End after so many records, at least 1. */
        public Builder maxRecords(long count) {
            maxRecords = count;
            return this;
        }

        /** End before the record that would exceed so many bytes, at least 1. */
        public Builder maxBytes(long bytes) {
            maxBytes = bytes;
            return this;
        }

        /** Which replica may answer; default {@link ReadMode#LEADER}. */
        public Builder mode(ReadMode value) {
            mode = value;
            return this;
        }

        /**
         * Read from this server only, never through another one: sets {@link ReadMode#ANY}. If it has no replica the read
         * fails with {@link TidemarkException.Unavailable}.
         */
        public Builder replica(Endpoint endpoint) {
            replica = endpoint;
            mode = ReadMode.ANY;
            return this;
        }

        /** Bytes to hold ahead of the user, 1 to 256 MiB; one message (256 KiB or one record) may go beyond. */
        public Builder bufferBytes(int bytes) {
            if (bytes < 1 || bytes > 256 << 20) {
                throw new IllegalArgumentException("bufferBytes must be 1 to 268435456, is " + bytes);
            }
            bufferBytes = bytes;
            return this;
        }

        /** The options. */
        public ReadOptions build() {
            if (replica != null && mode != ReadMode.ANY) {
                throw new IllegalArgumentException("a read from one replica has mode ANY, not " + mode);
            }
            return new ReadOptions(this);
        }
    }
}
