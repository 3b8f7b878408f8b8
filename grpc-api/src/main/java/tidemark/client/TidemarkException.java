package tidemark.client;

import java.io.Serial;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A call failed. There is one subclass for each thing a caller may want to do about it; {@link #reason()} is finer.
 *
 * <p>For calls that write, exactly {@link Indeterminate} means "may or may not have been written, may even be written
 * later"; every other subclass means "definitely not written, and never will be".
 */
public abstract sealed class TidemarkException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    private final Reason reason;
    private final String stream;

    TidemarkException(Reason reason, String stream, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
        this.stream = stream;
    }

    /** Why it failed. */
    public final Reason reason() {
        return reason;
    }

    /** The stream the call named; empty if none. */
    public final String stream() {
        return stream;
    }

    /** A field of the request is malformed or out of its range. */
    public static final class InvalidRequest extends TidemarkException {
        @Serial
        private static final long serialVersionUID = 1;

        private final String field;

        InvalidRequest(String stream, String field, String message, @Nullable Throwable cause) {
            super(Reason.INVALID_FIELD, stream, message, cause);
            this.field = field;
        }

        /** Path of the field in the request; empty if unknown. */
        public String field() {
            return field;
        }
    }

    /** The server does not know a field, a value or the whole call. Upgrade the server. */
    public static final class Unsupported extends TidemarkException {
        @Serial
        private static final long serialVersionUID = 1;

        Unsupported(String stream, String message, @Nullable Throwable cause) {
            super(Reason.UNSUPPORTED, stream, message, cause);
        }
    }

    /** A record, batch, name or list is over its limit. */
    public static final class TooLarge extends TidemarkException {
        @Serial
        private static final long serialVersionUID = 1;

        private final String what;
        private final long actual;
        private final long limit;

        TooLarge(String stream, String message, String what, long actual, long limit, @Nullable Throwable cause) {
            super(Reason.TOO_LARGE, stream, message, cause);
            this.what = what;
            this.actual = actual;
            this.limit = limit;
        }

        /** What is limited, for example "record bytes". */
        public String what() {
            return what;
        }

        /** The size or count that was given. */
        public long actual() {
            return actual;
        }

        /** The largest that is allowed. */
        public long limit() {
            return limit;
        }
    }

    /** No stream of this name. */
    public static final class StreamNotFound extends TidemarkException {
        @Serial
        private static final long serialVersionUID = 1;

        StreamNotFound(String stream, String message, @Nullable Throwable cause) {
            super(Reason.STREAM_NOT_FOUND, stream, message, cause);
        }
    }

    /** A stream of this name exists with other settings. */
    public static final class StreamExists extends TidemarkException {
        @Serial
        private static final long serialVersionUID = 1;

        StreamExists(String stream, String message, @Nullable Throwable cause) {
            super(Reason.STREAM_EXISTS, stream, message, cause);
        }
    }

    /** The gap: records below {@link #startOffset()} were truncated and the call asked for one of them. */
    public static final class OffsetTruncated extends TidemarkException {
        @Serial
        private static final long serialVersionUID = 1;

        private final OffsetRange range;

        OffsetTruncated(String stream, String message, OffsetRange range, @Nullable Throwable cause) {
            super(Reason.OFFSET_TRUNCATED, stream, message, cause);
            this.range = range;
        }

        /** The offset that was asked for. */
        public long requestedOffset() {
            return range.requestedOffset();
        }

        /** First offset that can be read. */
        public long startOffset() {
            return range.startOffset();
        }

        /** Offset that the next record will get. */
        public long endOffset() {
            return range.endOffset();
        }
    }

    /** The offset lies beyond the stream's end. */
    public static final class OffsetBeyondEnd extends TidemarkException {
        @Serial
        private static final long serialVersionUID = 1;

        private final OffsetRange range;

        OffsetBeyondEnd(String stream, String message, OffsetRange range, @Nullable Throwable cause) {
            super(Reason.OFFSET_BEYOND_END, stream, message, cause);
            this.range = range;
        }

        /** The offset that was asked for. */
        public long requestedOffset() {
            return range.requestedOffset();
        }

        /** First offset that can be read. */
        public long startOffset() {
            return range.startOffset();
        }

        /** Offset that the next record will get. */
        public long endOffset() {
            return range.endOffset();
        }
    }

    /** The stream's end was not the expected one: nothing was written. */
    public static final class EndConflict extends TidemarkException {
        @Serial
        private static final long serialVersionUID = 1;

        private final long expectedEnd;
        private final long actualEnd;
        private final long lastTimestampMs;

        EndConflict(
                String stream,
                String message,
                long expectedEnd,
                long actualEnd,
                long lastTimestampMs,
                @Nullable Throwable cause) {
            super(Reason.END_CONFLICT, stream, message, cause);
            this.expectedEnd = expectedEnd;
            this.actualEnd = actualEnd;
            this.lastTimestampMs = lastTimestampMs;
        }

        /** The end the call expected. */
        public long expectedEnd() {
            return expectedEnd;
        }

        /** The end the stream had. */
        public long actualEnd() {
            return actualEnd;
        }

        /** Timestamp of the last record; 0 if the stream never had one. */
        public long lastTimestampMs() {
            return lastTimestampMs;
        }
    }

    /** The stream's start was not the expected one: nothing was truncated. */
    public static final class StartConflict extends TidemarkException {
        @Serial
        private static final long serialVersionUID = 1;

        private final OffsetRange range;

        StartConflict(String stream, String message, OffsetRange range, @Nullable Throwable cause) {
            super(Reason.START_CONFLICT, stream, message, cause);
            this.range = range;
        }

        /** The start the stream had. */
        public long startOffset() {
            return range.startOffset();
        }

        /** The end the stream had. */
        public long endOffset() {
            return range.endOffset();
        }
    }

    /** The stream's settings were changed since the expected revision: nothing was updated. */
    public static final class RevisionConflict extends TidemarkException {
        @Serial
        private static final long serialVersionUID = 1;

        RevisionConflict(String stream, String message, @Nullable Throwable cause) {
            super(Reason.REVISION_CONFLICT, stream, message, cause);
        }
    }

    /**
     * The stream does not remember the writer of an idempotent append, or the writer left out a sequence: see
     * {@link #reason()}. Nothing was written.
     */
    public static final class WriterConflict extends TidemarkException {
        @Serial
        private static final long serialVersionUID = 1;

        WriterConflict(Reason reason, String stream, String message, @Nullable Throwable cause) {
            super(reason, stream, message, cause);
        }
    }

    /** The stream is sealed: it takes no more appends. */
    public static final class Sealed extends TidemarkException {
        @Serial
        private static final long serialVersionUID = 1;

        Sealed(String stream, String message, @Nullable Throwable cause) {
            super(Reason.SEALED, stream, message, cause);
        }
    }

    /**
     * No server could do it within the time: none reachable, no leader, or stopping. Nothing was written; trying again
     * later makes sense.
     */
    public static final class Unavailable extends TidemarkException {
        @Serial
        private static final long serialVersionUID = 1;

        Unavailable(Reason reason, String stream, String message, @Nullable Throwable cause) {
            super(reason, stream, message, cause);
        }
    }

    /** Too much in flight, still so when the time was over. Nothing was written. */
    public static final class Overloaded extends TidemarkException {
        @Serial
        private static final long serialVersionUID = 1;

        private final Duration retryAfter;

        Overloaded(String stream, String message, Duration retryAfter, @Nullable Throwable cause) {
            super(Reason.OVERLOADED, stream, message, cause);
            this.retryAfter = retryAfter;
        }

        /** How long the server asks to wait; 0 if it does not say. */
        public Duration retryAfter() {
            return retryAfter;
        }
    }

    /**
     * The write may or may not have taken place, and may even take place later. Only the caller can decide whether to try
     * again. {@link #getCause()} is what went wrong.
     */
    public static final class Indeterminate extends TidemarkException {
        @Serial
        private static final long serialVersionUID = 1;

        Indeterminate(Reason reason, String stream, String message, @Nullable Throwable cause) {
            super(reason, stream, message, cause);
        }
    }

    /** A replica's copy of the data is damaged there; another replica may have it. */
    public static final class DataCorrupt extends TidemarkException {
        @Serial
        private static final long serialVersionUID = 1;

        DataCorrupt(String stream, String message, @Nullable Throwable cause) {
            super(Reason.CORRUPT, stream, message, cause);
        }
    }

    /** Too few live servers for the wanted number of replicas. */
    public static final class NotEnoughServers extends TidemarkException {
        @Serial
        private static final long serialVersionUID = 1;

        NotEnoughServers(String stream, String message, @Nullable Throwable cause) {
            super(Reason.NOT_ENOUGH_SERVERS, stream, message, cause);
        }
    }

    /** A defect of the server (its log has the details), or an answer that breaks the protocol. */
    public static final class ServerDefect extends TidemarkException {
        @Serial
        private static final long serialVersionUID = 1;

        ServerDefect(String stream, String message, @Nullable Throwable cause) {
            super(Reason.INTERNAL, stream, message, cause);
        }
    }

    /** The client, appender or reader was closed before this was done. Nothing was written. */
    public static final class Closed extends TidemarkException {
        @Serial
        private static final long serialVersionUID = 1;

        Closed(String stream, String message, @Nullable Throwable cause) {
            super(Reason.CLOSED, stream, message, cause);
        }
    }

    /**
     * An append stood behind one that failed in the same {@link Appender}, so it was definitely not written.
     * {@link #getCause()} is that failure.
     */
    public static final class NotSent extends TidemarkException {
        @Serial
        private static final long serialVersionUID = 1;

        NotSent(String stream, String message, @Nullable Throwable cause) {
            super(Reason.NOT_SENT, stream, message, cause);
        }

        /** The failure that stopped the appender. */
        public Optional<TidemarkException> failure() {
            return getCause() instanceof TidemarkException failure ? Optional.of(failure) : Optional.empty();
        }
    }
}
