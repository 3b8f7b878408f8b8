package tidemark.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Function;
import tidemark.engine.proto.Command;
import tidemark.engine.proto.Entry;
import tidemark.server.raft.HostedGroup;
import tidemark.server.raft.ProposalException;
import tidemark.server.raft.ProposalException.Kind;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.machine.GroupMachine;
import tidemark.statemachine.machine.Machine;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.LogPosition;
import tidemark.statemachine.model.Outcome;
import tidemark.statemachine.model.StreamId;

/**
 * One group as Raft would run it, without Raft: what the leader proposes is applied at once on all replicas, or when the test lets
 * it. The test chooses the leader.
 */
final class FakeLog {
    private final GroupId id;
    private final Map<String, Replica> replicas = new HashMap<>();

    // Guarded by this.
    private Optional<String> leader = Optional.empty();
    private long term = 1;
    private final Map<StreamId, FakeStream> streams = new HashMap<>();
    private boolean holding;
    private final ArrayDeque<Held> held = new ArrayDeque<>();
    private Optional<Kind> failing = Optional.empty();
    private int entries;

    private record Held(ByteBuffer entry, CompletableFuture<List<Outcome>> outcomes) {}

    FakeLog(GroupId id, List<String> serverIds) {
        this(id, serverIds, server -> Optional.empty());
    }

    /** @param machines the real machine of each server's replica; if there are none, only the model applies */
    FakeLog(GroupId id, List<String> serverIds, Function<String, Optional<GroupMachine>> machines) {
        this.id = id;
        serverIds.forEach(server -> replicas.put(server, new Replica(server, machines.apply(server))));
    }

    void closeMachines() {
        replicas.values().forEach(Replica::closeMachine);
    }

    /** Empty where a server has no replica. */
    Optional<Replica> replica(String serverId) {
        return Optional.ofNullable(replicas.get(serverId));
    }

    Set<String> serverIds() {
        return replicas.keySet();
    }

    void lead(String serverId) {
        synchronized (this) {
            leader = Optional.of(serverId);
            term++;
        }
        wake();
    }

    void noLeader() {
        synchronized (this) {
            leader = Optional.empty();
            term++;
        }
        wake();
    }

    /** From now on, proposals wait for {@link #release}. */
    synchronized void hold() {
        holding = true;
    }

    synchronized int heldEntries() {
        return held.size();
    }

    synchronized int entries() {
        return entries;
    }

    /** Applies what waits, and what comes. */
    void release() {
        synchronized (this) {
            holding = false;
        }
        while (releaseOne()) {
            // All of them.
        }
    }

    /** Applies the oldest entry that waits. */
    boolean releaseOne() {
        Held next;
        List<Outcome> outcomes;
        synchronized (this) {
            next = held.poll();
            if (next == null) {
                return false;
            }
            outcomes = apply(next.entry);
        }
        wake();
        next.outcomes.complete(outcomes);
        return true;
    }

    /** The oldest entry that waits is lost with an unknown outcome. */
    void loseOne(Kind kind) {
        Held next;
        synchronized (this) {
            next = held.remove();
        }
        next.outcomes.completeExceptionally(failure(kind));
    }

    /** From now on, proposals fail so. */
    synchronized void failWith(Kind kind) {
        failing = Optional.of(kind);
    }

    synchronized Optional<FakeStream> stream(StreamId stream) {
        return Optional.ofNullable(streams.get(stream));
    }

    private void wake() {
        replicas.values().forEach(replica -> replica.listeners.forEach(Runnable::run));
    }

    private ProposalException failure(Kind kind) {
        return new ProposalException(kind, "the test says so", Optional.empty());
    }

    /** By the model, and by the machines where there are some: then the outcomes are theirs, and of the same kinds. */
    private List<Outcome> apply(ByteBuffer bytes) {
        List<Outcome> modelled = applyToModel(bytes.duplicate());
        List<Outcome> outcomes = modelled;
        for (Replica replica : replicas.values()) {
            if (replica.machine.isPresent()) {
                try {
                    outcomes = replica.machine.get().apply(new LogPosition(term, entries), bytes.duplicate());
                } catch (StorageException failure) {
                    throw new AssertionError(failure);
                }
                assertThat(outcomes.stream().map(Object::getClass))
                        .containsExactlyElementsOf(modelled.stream()
                                .<Class<?>>map(Object::getClass)
                                .toList());
            }
        }
        return outcomes;
    }

    private List<Outcome> applyToModel(ByteBuffer bytes) {
        entries++;
        List<Outcome> outcomes = new ArrayList<>();
        try {
            Entry entry = Entry.parseFrom(bytes);
            for (Command command : entry.getCommandsList()) {
                outcomes.add(apply(command, entry.getTimestampMs()));
            }
        } catch (InvalidProtocolBufferException malformed) {
            throw new AssertionError(malformed);
        }
        return outcomes;
    }

    private Outcome apply(Command command, long timestampMs) {
        if (command.hasBarrier()) {
            return new Outcome.Done();
        }
        ByteBuffer bytes = command.getStreamId().asReadOnlyByteBuffer();
        StreamId stream = new StreamId(new UUID(bytes.getLong(), bytes.getLong()));
        if (command.hasOpen()) {
            streams.putIfAbsent(stream, FakeStream.empty(stream));
        }
        FakeStream before = streams.get(stream);
        if (before == null) {
            return new Outcome.UnknownStream();
        }
        FakeStream.Applied applied = before.apply(command, timestampMs, term);
        streams.put(stream, applied.stream());
        return applied.outcome();
    }

    /** The group as one server has it. */
    final class Replica implements HostedGroup {
        private final String serverId;
        private final Optional<GroupMachine> machine;
        private final Set<Runnable> listeners = new CopyOnWriteArraySet<>();

        Replica(String serverId, Optional<GroupMachine> machine) {
            this.serverId = serverId;
            this.machine = machine;
        }

        boolean hasMachine() {
            return machine.isPresent();
        }

        private void closeMachine() {
            machine.ifPresent(open -> {
                try {
                    open.close();
                } catch (StorageException failure) {
                    throw new AssertionError(failure);
                }
            });
        }

        FakeLog log() {
            return FakeLog.this;
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
            return machine.orElseThrow();
        }

        @Override
        public Leadership leadership() {
            synchronized (FakeLog.this) {
                boolean leads = leader.filter(serverId::equals).isPresent();
                return new Leadership(leads, leader, term);
            }
        }

        @Override
        public CompletableFuture<List<Outcome>> propose(byte[] entry) {
            List<Outcome> outcomes;
            synchronized (FakeLog.this) {
                if (!leader.filter(serverId::equals).isPresent()) {
                    return CompletableFuture.failedFuture(
                            new ProposalException(Kind.NOT_LEADER, "another leads", leader));
                }
                if (failing.isPresent()) {
                    return CompletableFuture.failedFuture(failure(failing.get()));
                }
                if (holding) {
                    Held waiting = new Held(ByteBuffer.wrap(entry), new CompletableFuture<>());
                    held.add(waiting);
                    return waiting.outcomes;
                }
                outcomes = apply(ByteBuffer.wrap(entry));
            }
            wake();
            return CompletableFuture.completedFuture(outcomes);
        }

        @Override
        public Registration listen(Runnable listener) {
            listeners.add(listener);
            return () -> listeners.remove(listener);
        }
    }
}
