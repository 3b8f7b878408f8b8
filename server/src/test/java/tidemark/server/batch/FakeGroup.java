package tidemark.server.batch;

import com.google.protobuf.InvalidProtocolBufferException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import tidemark.engine.proto.Entry;
import tidemark.server.raft.HostedGroup;
import tidemark.server.raft.ProposalException;
import tidemark.statemachine.machine.Machine;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.Outcome;

/** A group whose entries wait until the test says what becomes of them. */
class FakeGroup implements HostedGroup {
    private final GroupId id = new GroupId(new UUID(1, 1));
    final List<Proposed> proposed = new ArrayList<>();
    long term = 1;
    /** Set: every proposal fails with this at once. */
    Optional<ProposalException> refusal = Optional.empty();

    record Proposed(Entry entry, CompletableFuture<List<Outcome>> outcome) {
        /** Each command gets its own place in the group's order as base offset. */
        void succeed(long firstOffset) {
            List<Outcome> outcomes = new ArrayList<>();
            for (int i = 0; i < entry.getCommandsCount(); i++) {
                outcomes.add(new Outcome.Appended(firstOffset + i, firstOffset + i + 1, 0, 1, false));
            }
            outcome.complete(outcomes);
        }

        void fail(ProposalException.Kind kind) {
            outcome.completeExceptionally(new ProposalException(kind, "the test says so", Optional.empty()));
        }
    }

    @Override
    public GroupId id() {
        return id;
    }

    @Override
    public Machine machine() {
        throw new AssertionError("a batcher does not look into machines");
    }

    @Override
    public Leadership leadership() {
        return new Leadership(true, Optional.empty(), term);
    }

    @Override
    public CompletableFuture<List<Outcome>> propose(byte[] entry) {
        CompletableFuture<List<Outcome>> outcome = new CompletableFuture<>();
        try {
            proposed.add(new Proposed(Entry.parseFrom(entry), outcome));
        } catch (InvalidProtocolBufferException malformed) {
            throw new AssertionError(malformed);
        }
        refusal.ifPresent(outcome::completeExceptionally);
        return outcome;
    }

    @Override
    public Registration listen(Runnable listener) {
        throw new AssertionError("a batcher does not listen");
    }
}
