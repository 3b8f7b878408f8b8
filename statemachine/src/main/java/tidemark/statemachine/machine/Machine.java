package tidemark.statemachine.machine;

import java.io.Closeable;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.model.LogPosition;
import tidemark.statemachine.model.Outcome;

/**
 * The deterministic state machine of one Raft group, with its durable checkpoint (manifest).
 *
 * <p>Threads: {@link #apply}, {@link #advance} and {@link #checkpoint} are called by one thread at a time, the group's applier.
 * {@link #sync}, the getters and whatever an implementation offers to readers may be called by others at the same time.
 *
 * <p>Durability: {@code apply} makes nothing durable (the Raft log already is). What {@link #checkpoint} returned is durable, and a
 * machine opened again after a crash stands exactly there; the log is then replayed from that position.
 *
 * <p>Failure: after a {@link StorageException} from any method the machine refuses everything but reads and {@link #close}; it must be
 * opened again from disk.
 */
public interface Machine extends Closeable {
    /** Position of the last applied entry; {@link LogPosition#NONE} if none. */
    LogPosition applied();

    /**
     * Applies one entry.
     *
     * @param at its position; must be above {@link #applied()}
     * @param entry its bytes; not kept after return
     * @return one outcome a command, in order
     */
    List<Outcome> apply(LogPosition at, ByteBuffer entry) throws StorageException;

    /** Notes that everything up to a position that is not an entry of this machine (a configuration, say) is applied. */
    void advance(LogPosition at) throws StorageException;

    /** Bytes applied since the last checkpoint: what a restart would have to replay. */
    long bytesSinceCheckpoint();

    /** Bytes of files that are needed no more and are deleted once the next checkpoint is durable. Cheap. */
    default long reclaimableBytes() {
        return 0;
    }

    /**
     * Makes files written so far durable, so that the next {@link #checkpoint} has less to do. Runs beside {@code apply}.
     */
    void sync() throws StorageException;

    /** Makes the state at {@link #applied()} durable, and returns that position. Blocks applying. */
    LogPosition checkpoint() throws StorageException;

    /** Position of the newest durable checkpoint. Cheap. */
    Optional<LogPosition> lastCheckpoint();

    @Override
    void close() throws StorageException;
}
