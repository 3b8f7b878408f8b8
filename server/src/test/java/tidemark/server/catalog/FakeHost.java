package tidemark.server.catalog;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import tidemark.server.raft.HostedGroup;
import tidemark.server.raft.ProposalException;
import tidemark.server.raft.ProposalException.Kind;
import tidemark.server.raft.RaftHost;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.machine.Machine;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.LogPosition;
import tidemark.statemachine.model.Outcome;

/** Groups in memory that commit at once where they lead. Used by one thread. */
final class FakeHost implements RaftHost {
    final Map<GroupId, FakeGroup> groups = new LinkedHashMap<>();
    final List<String> calls = new ArrayList<>();
    final Set<GroupId> cannotAdd = new TreeSet<>();
    final Set<GroupId> cannotRemove = new TreeSet<>();

    FakeGroup put(GroupId id, Machine machine) {
        FakeGroup group = new FakeGroup(id, machine);
        groups.put(id, group);
        return group;
    }

    @Override
    public void addGroup(GroupId id, List<Member> members) throws IOException {
        calls.add("add " + id.value().getLeastSignificantBits()
                + members.stream().map(Member::id).toList());
        if (cannotAdd.contains(id)) {
            throw new IOException("cannot");
        }
        if (!groups.containsKey(id)) {
            put(id, new NoMachine());
        }
    }

    @Override
    public void removeGroup(GroupId id) throws IOException {
        calls.add("remove " + id.value().getLeastSignificantBits());
        if (cannotRemove.contains(id)) {
            throw new IOException("cannot");
        }
        groups.remove(id);
    }

    @Override
    public Set<GroupId> groups() {
        return Set.copyOf(groups.keySet());
    }

    @Override
    public Optional<HostedGroup> group(GroupId id) {
        return Optional.ofNullable(groups.get(id));
    }

    @Override
    public List<String> problems() {
        return List.of();
    }

    @Override
    public void close() {}

    /** One group. */
    static final class FakeGroup implements HostedGroup {
        private final GroupId id;
        private final Machine machine;
        private final List<Runnable> listeners = new ArrayList<>();
        private Leadership leadership = new Leadership(false, Optional.empty(), 0);
        private long index;

        FakeGroup(GroupId id, Machine machine) {
            this.id = id;
            this.machine = machine;
        }

        void lead(long term) {
            leadership = new Leadership(true, Optional.empty(), term);
            changed();
        }

        void follow(String leaderId, long term) {
            leadership = new Leadership(false, Optional.of(leaderId), term);
            changed();
        }

        /** As if an entry had come from the leader. */
        List<Outcome> apply(byte[] entry) {
            try {
                List<Outcome> outcomes =
                        machine.apply(new LogPosition(leadership.term(), ++index), ByteBuffer.wrap(entry));
                changed();
                return outcomes;
            } catch (StorageException e) {
                throw new IllegalStateException(e);
            }
        }

        private void changed() {
            List.copyOf(listeners).forEach(Runnable::run);
        }

        int listeners() {
            return listeners.size();
        }

        @Override
        public GroupId id() {
            return id;
        }

        @Override
        public Machine machine() {
            return machine;
        }

        @Override
        public Leadership leadership() {
            return leadership;
        }

        @Override
        public CompletableFuture<List<Outcome>> propose(byte[] entry) {
            return leadership.leads()
                    ? CompletableFuture.completedFuture(apply(entry))
                    : CompletableFuture.failedFuture(
                            new ProposalException(Kind.NOT_LEADER, "not the leader", leadership.leaderId()));
        }

        @Override
        public Registration listen(Runnable listener) {
            listeners.add(listener);
            return () -> listeners.remove(listener);
        }
    }

    /** Where nothing is applied. */
    private static final class NoMachine implements Machine {
        @Override
        public LogPosition applied() {
            return LogPosition.NONE;
        }

        @Override
        public List<Outcome> apply(LogPosition at, ByteBuffer entry) {
            return List.of();
        }

        @Override
        public void advance(LogPosition at) {}

        @Override
        public long bytesSinceCheckpoint() {
            return 0;
        }

        @Override
        public void sync() {}

        @Override
        public LogPosition checkpoint() {
            return LogPosition.NONE;
        }

        @Override
        public Optional<LogPosition> lastCheckpoint() {
            return Optional.empty();
        }

        @Override
        public void close() {}
    }
}
