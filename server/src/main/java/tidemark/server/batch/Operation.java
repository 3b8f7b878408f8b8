package tidemark.server.batch;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalLong;
import tidemark.statemachine.format.Batch;
import tidemark.statemachine.model.StreamId;

/** One command for a group's log. */
public sealed interface Operation {
    StreamId stream();

    Kind kind();

    /** For switches that the compiler checks for completeness. */
    enum Kind {
        APPEND,
        TRUNCATE,
        SEAL,
        OPEN
    }

    /**
     * Appends a batch.
     *
     * @param expectedEnd if present, rejected unless this is the stream's end
     * @param writer if present, the append is idempotent
     */
    record Append(StreamId stream, Batch batch, OptionalLong expectedEnd, Optional<Writer> writer)
            implements Operation {
        @Override
        public Kind kind() {
            return Kind.APPEND;
        }
    }

    /** Raises the stream's start; with {@code expectedStart}, only if that is the start now. */
    record Truncate(StreamId stream, long beforeOffset, OptionalLong expectedStart) implements Operation {
        @Override
        public Kind kind() {
            return Kind.TRUNCATE;
        }
    }

    /** Ends the stream. */
    record Seal(StreamId stream) implements Operation {
        @Override
        public Kind kind() {
            return Kind.SEAL;
        }
    }

    /** Makes the group host the stream; changes nothing if it does already. */
    record Open(StreamId stream) implements Operation {
        @Override
        public Kind kind() {
            return Kind.OPEN;
        }
    }

    /**
     * Identifies an idempotent append.
     *
     * @param id 16 bytes; read-only
     */
    record Writer(ByteBuffer id, long sequence) {}
}
