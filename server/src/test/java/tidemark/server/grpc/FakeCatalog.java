package tidemark.server.grpc;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import tidemark.server.catalog.Catalog;
import tidemark.server.raft.HostedGroup;
import tidemark.server.raft.ProposalException;
import tidemark.server.raft.RaftHost.Member;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.Outcome;
import tidemark.statemachine.model.StreamEntry;
import tidemark.statemachine.model.StreamId;

/** One server's copy of a catalog that all servers of a test share; it can be made to lag. */
final class FakeCatalog implements Catalog {
    /** What all copies are copies of. */
    static final class Shared {
        private final TreeMap<String, StreamEntry> streams = new TreeMap<>();
        private final Map<GroupId, FakeLog> logs;
        private final List<String> removals = new ArrayList<>();
        private long created;

        Shared(Map<GroupId, FakeLog> logs) {
            this.logs = logs;
        }
    }

    private final Shared shared;
    private final FakeLog.Replica group;
    private final List<Member> members;
    private final UnaryOperator<StreamEntry> onCreate;
    private final Set<String> notSeenYet = new HashSet<>();

    /** @param onCreate starts the group of a new stream */
    FakeCatalog(Shared shared, FakeLog.Replica group, List<Member> members, UnaryOperator<StreamEntry> onCreate) {
        this.shared = shared;
        this.group = group;
        this.members = members;
        this.onCreate = onCreate;
    }

    /** This copy does not know a stream yet. */
    void lagBehind(String name) {
        synchronized (shared) {
            notSeenYet.add(name);
        }
    }

    @Override
    public HostedGroup group() {
        return group;
    }

    @Override
    public Optional<StreamEntry> stream(String name) {
        synchronized (shared) {
            return notSeenYet.contains(name) ? Optional.empty() : Optional.ofNullable(shared.streams.get(name));
        }
    }

    @Override
    public List<StreamEntry> list(String prefix, String afterName, int limit) {
        synchronized (shared) {
            return shared.streams.tailMap(afterName, false).values().stream()
                    .filter(entry -> entry.name().startsWith(prefix))
                    .limit(limit)
                    .toList();
        }
    }

    @Override
    public long streamCount() {
        synchronized (shared) {
            return shared.streams.size();
        }
    }

    @Override
    public List<String> replicas(GroupId group) {
        FakeLog log = shared.logs.get(group);
        return log == null ? List.of() : log.serverIds().stream().sorted().toList();
    }

    @Override
    public List<Member> members() {
        return members;
    }

    @Override
    public Optional<Member> member(String serverId) {
        return members.stream().filter(member -> member.id().equals(serverId)).findFirst();
    }

    @Override
    public CompletableFuture<Outcome> create(String name, StreamEntry.StreamSettings settings) {
        return asLeader(() -> {
            StreamEntry present = shared.streams.get(name);
            if (present != null) {
                return present.settings().equals(settings)
                        ? new Outcome.StreamChanged(present, false)
                        : new Outcome.StreamExists(present);
            }
            shared.created++;
            StreamEntry entry = onCreate.apply(new StreamEntry(
                    name,
                    new StreamId(new UUID(0, shared.created)),
                    new GroupId(new UUID(1, shared.created)),
                    settings,
                    1_000,
                    false,
                    0));
            shared.streams.put(name, entry);
            return new Outcome.StreamChanged(entry, true);
        });
    }

    @Override
    public CompletableFuture<Outcome> update(String name, Update update) {
        return asLeader(() -> {
            StreamEntry before = shared.streams.get(name);
            if (before == null) {
                return new Outcome.UnknownStream();
            }
            if (update.expectedRevision().isPresent()
                    && update.expectedRevision().getAsLong() != before.revision()) {
                return new Outcome.RevisionConflict(update.expectedRevision().getAsLong(), before.revision());
            }
            SortedMap<String, String> labels = new TreeMap<>(before.settings().labels());
            labels.putAll(update.setLabels());
            labels.keySet().removeAll(update.removeLabels());
            if (labels.size() > 32) {
                return new Outcome.Invalid("more than 32 labels");
            }
            StreamEntry.StreamSettings settings = new StreamEntry.StreamSettings(
                    before.settings().replicas(),
                    update.maxRecordBytes().orElse(before.settings().maxRecordBytes()),
                    labels);
            return put(before, settings, before.sealed());
        });
    }

    private Outcome put(StreamEntry before, StreamEntry.StreamSettings settings, boolean sealed) {
        StreamEntry after = new StreamEntry(
                before.name(),
                before.id(),
                before.group(),
                settings,
                before.createdMs(),
                sealed,
                before.revision() + 1);
        shared.streams.put(after.name(), after);
        return new Outcome.StreamChanged(after, true);
    }

    @Override
    public CompletableFuture<Outcome> delete(String name, Optional<StreamId> onlyIfId) {
        return asLeader(() -> {
            StreamEntry present = shared.streams.get(name);
            if (present == null
                    || onlyIfId.filter(id -> !id.equals(present.id())).isPresent()) {
                return new Outcome.UnknownStream();
            }
            shared.streams.remove(name);
            return new Outcome.StreamChanged(present, true);
        });
    }

    @Override
    public CompletableFuture<Outcome> markSealed(StreamId stream) {
        return asLeader(() -> {
            for (StreamEntry entry : new ArrayList<>(shared.streams.values())) {
                if (entry.id().equals(stream)) {
                    return put(entry, entry.settings(), true);
                }
            }
            return new Outcome.UnknownStream();
        });
    }

    /** Groups of which nothing is left, with the server. */
    List<String> removals() {
        synchronized (shared) {
            return List.copyOf(shared.removals);
        }
    }

    @Override
    public CompletableFuture<Outcome> confirmRemoved(GroupId removed, String serverId) {
        return asLeader(() -> {
            shared.removals.add(removed + " on " + serverId);
            return new Outcome.Done();
        });
    }

    private CompletableFuture<Outcome> asLeader(java.util.function.Supplier<Outcome> change) {
        HostedGroup.Leadership leadership = group.leadership();
        if (!leadership.leads()) {
            return CompletableFuture.failedFuture(new ProposalException(
                    ProposalException.Kind.NOT_LEADER, "another leads the catalog", leadership.leaderId()));
        }
        synchronized (shared) {
            return CompletableFuture.completedFuture(change.get());
        }
    }
}
