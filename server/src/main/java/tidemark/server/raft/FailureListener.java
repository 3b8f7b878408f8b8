package tidemark.server.raft;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tidemark.statemachine.model.GroupId;

/**
 * Is told of a failure that this process cannot get over by itself: the journal could not be written or synced, a state machine broke, a
 * group stopped by itself. After a failed sync nobody knows what is on disk, so the honest answer is to exit and start again from disk.
 */
@FunctionalInterface
public interface FailureListener {
    /**
     * Called on any thread, more than once if several things fail; must return at once and must not throw.
     *
     * @param group empty if it concerns the whole server
     * @param problem one line for people
     */
    void failed(Optional<GroupId> group, String problem, @Nullable Throwable cause);
}
