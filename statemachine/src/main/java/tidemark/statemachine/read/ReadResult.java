package tidemark.statemachine.read;

import java.util.List;
import tidemark.statemachine.format.StoredBatch;

/** What a {@link ReadCursor} found at its place. */
public sealed interface ReadResult {
    /** For switches that the compiler checks for completeness. */
    enum Kind {
        BATCHES,
        AT_END,
        TRUNCATED,
        UNAVAILABLE
    }

    Kind kind();

    /**
     * Consecutive batches, at least one; the cursor has moved behind them.
     *
     * @param batches the first one holds the offset at which the cursor stood, and maybe lower ones, which are for the caller to skip;
     *     bodies share memory, so keeping one small body may keep up to a megabyte
     */
    record Batches(List<StoredBatch> batches) implements ReadResult {
        @Override
        public Kind kind() {
            return Kind.BATCHES;
        }
    }

    /**
     * The cursor stands at (or was placed beyond) the end: there may be more later, unless the stream is sealed.
     */
    record AtEnd(long startOffset, long endOffset, boolean sealed) implements ReadResult {
        @Override
        public Kind kind() {
            return Kind.AT_END;
        }
    }

    /** What the cursor stands at was truncated; it stays where it is. */
    record Truncated(long startOffset, long endOffset) implements ReadResult {
        @Override
        public Kind kind() {
            return Kind.TRUNCATED;
        }
    }

    /** The machine was closed, or a snapshot is being installed: open a cursor of the group's next machine. */
    record Unavailable() implements ReadResult {
        @Override
        public Kind kind() {
            return Kind.UNAVAILABLE;
        }
    }
}
