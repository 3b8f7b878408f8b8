package tidemark.server.grpc;

import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.machine.StreamView;
import tidemark.v1.Position;

/** Finds the offset of a position in a stream. */
final class Positions {
    private Positions() {}

    /**
     * The offset of a position that was checked; an offset asked for by number may lie outside of the readable range.
     *
     * @throws StorageException if the search for a timestamp cannot read
     */
    static long resolve(Position position, StreamView view) throws StorageException {
        return switch (position.getAtCase()) {
            case OFFSET -> position.getOffset();
            case TIMESTAMP_MS -> view.offsetAtTime(position.getTimestampMs());
            case LAST -> Math.max(view.startOffset(), view.endOffset() - position.getLast());
            case START, AT_NOT_SET -> view.startOffset();
            case END -> view.endOffset();
        };
    }
}
