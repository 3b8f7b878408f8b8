package tidemark.statemachine.read;

import java.util.Optional;

/** Gives the newest snapshot of one stream. Safe for many threads. */
@FunctionalInterface
public interface SnapshotSource {
    /** Empty if the stream cannot be read here any more. */
    Optional<StreamSnapshot> newest();
}
