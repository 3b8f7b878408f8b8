package tidemark.server.catalog;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import tidemark.server.raft.HostedGroup;
import tidemark.server.raft.RaftHost.Member;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.Outcome;
import tidemark.statemachine.model.StreamEntry;
import tidemark.statemachine.model.StreamId;

/**
 * This server's copy of the catalog, and the way to change it. The copy may lag behind the catalog's leader, so "not found" is final
 * only where this server leads the catalog.
 *
 * <p>Changes work only on the catalog's leader (else a {@link tidemark.server.raft.ProposalException} of kind NOT_LEADER comes back).
 *
 * <p>Safe for use by many threads.
 */
public interface Catalog {
    /** The Raft group of the catalog, for leadership and listeners. */
    HostedGroup group();

    Optional<StreamEntry> stream(String name);

    /** Streams whose names start with a prefix and sort after a name, in order of their names. */
    List<StreamEntry> list(String prefix, String afterName, int limit);

    long streamCount();

    /** Server ids of a group's replicas; empty if the group is unknown. */
    List<String> replicas(GroupId group);

    /** All servers of the cluster, this one included. */
    List<Member> members();

    Optional<Member> member(String serverId);

    /** Creates a stream; its group and replicas are chosen here. Outcome: StreamChanged, or Rejected. */
    CompletableFuture<Outcome> create(String name, StreamEntry.StreamSettings settings);

    CompletableFuture<Outcome> update(String name, Update update);

    /** Outcome: StreamChanged with the entry that was removed, or UnknownStream. */
    CompletableFuture<Outcome> delete(String name, Optional<StreamId> onlyIfId);

    /** Notes that a stream's group has sealed it. */
    CompletableFuture<Outcome> markSealed(StreamId stream);

    /** Notes that nothing of a deleted group is left on a server. */
    CompletableFuture<Outcome> confirmRemoved(GroupId removed, String serverId);

    /** Settings to change; the others stay. */
    record Update(
            OptionalInt maxRecordBytes,
            Map<String, String> setLabels,
            Set<String> removeLabels,
            OptionalLong expectedRevision) {}
}
