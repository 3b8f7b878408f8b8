package tidemark.statemachine.catalog;

import java.util.List;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.StreamId;

/**
 * A Raft group as the catalog knows it. Immutable.
 *
 * @param streams what it hosts, sorted; never empty
 * @param replicas server ids, in the order in which they were chosen
 */
public record GroupEntry(GroupId id, List<StreamId> streams, List<String> replicas) {
    /** Copies the lists. */
    public GroupEntry {
        streams = List.copyOf(streams);
        replicas = List.copyOf(replicas);
    }
}
