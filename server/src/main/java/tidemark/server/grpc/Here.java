package tidemark.server.grpc;

import java.util.Optional;
import tidemark.server.raft.HostedGroup;
import tidemark.statemachine.model.StreamEntry;

/**
 * What this server has for a call that it serves.
 *
 * @param entry the stream the call names, as the catalog's copy has it; empty if it names none, or one unknown here
 * @param group the stream's group, if there is a replica here
 */
record Here(Optional<StreamEntry> entry, Optional<HostedGroup> group) {
    /** For calls that are only served where the stream is known. */
    StreamEntry stream() {
        return entry.orElseThrow();
    }

    /** For calls that are only served where the group is hosted. */
    HostedGroup hosted() {
        return group.orElseThrow();
    }
}
