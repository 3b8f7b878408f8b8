package tidemark.server.raft;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import org.apache.ratis.protocol.RaftClientAsynchronousProtocol;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.jspecify.annotations.Nullable;
import tidemark.server.raft.ProposalException.Kind;
import tidemark.statemachine.machine.Machine;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.LogPosition;
import tidemark.statemachine.model.Outcome;

/** A group of this server, from its opening to its end. Outlives a restart of its replica inside Ratis. */
final class RatisGroup implements HostedGroup, GroupStateMachine.Hooks {
    private final GroupId id;
    private final int entryBytesMax;
    private final Requests requests;
    private final Failures failures;
    private final LongSupplier nanoTime;
    private final Proposals proposals;
    private final Installs installs;
    private final CopyOnWriteArrayList<Listening> listeners = new CopyOnWriteArrayList<>();

    private volatile @Nullable Replica replica;
    private volatile boolean refusing;
    private volatile boolean broken;

    /** One life of the group inside Ratis. */
    record Replica(RaftServer.Division division, GroupStateMachine stateMachine, CheckpointState checkpoints) {}

    /** What the groups of a server share. */
    record Shared(
            RaftSettings settings,
            Requests requests,
            Failures failures,
            RaftMeter meter,
            LongSupplier nanoTime,
            Installs installs) {}

    RatisGroup(GroupId id, Shared shared) {
        this.id = id;
        this.entryBytesMax = shared.settings().entryBytesMax();
        this.requests = shared.requests();
        this.failures = shared.failures();
        this.nanoTime = shared.nanoTime();
        this.installs = shared.installs();
        this.proposals = new Proposals(
                id,
                shared.meter(),
                shared.nanoTime(),
                shared.settings().proposalTimeout().toNanos());
    }

    // --- for everybody ---

    @Override
    public GroupId id() {
        return id;
    }

    @Override
    public Machine machine() {
        Replica now = replica;
        if (now == null) {
            throw new IllegalStateException("group " + id + " is not started");
        }
        return now.stateMachine().machine().current();
    }

    @Override
    public Leadership leadership() {
        Replica now = replica;
        if (now == null) {
            return new Leadership(false, Optional.empty(), 0);
        }
        DivisionInfo info = now.division().getInfo();
        long term = info.getCurrentTerm();
        boolean leads = info.isLeaderReady() && !broken;
        RaftPeerId leader = info.getLeaderId();
        return new Leadership(leads, Optional.ofNullable(leader).map(RaftPeerId::toString), term);
    }

    @Override
    public CompletableFuture<List<Outcome>> propose(byte[] entry) {
        if (entry.length > entryBytesMax) {
            return CompletableFuture.failedFuture(new IllegalArgumentException(
                    "an entry of " + entry.length + " bytes; at most " + entryBytesMax + " are allowed"));
        }
        Replica now = replica;
        if (now == null || refusing || broken) {
            return refuse(Kind.CLOSED, "group " + id + (broken ? " has failed" : " is stopping"));
        }
        Proposal proposal = new Proposal(UnsafeByteOperations.unsafeWrap(entry), nanoTime.getAsLong());
        proposals.add(proposal);
        submit(now, proposal);
        if (broken) {
            // It failed meanwhile, and may have ended the others before it knew of this one.
            proposals.abandon("group " + id + " has failed");
        }
        return proposal.result();
    }

    /** Straight to the division: its own executor would cost two changes of thread, and this one would wait for them. */
    private void submit(Replica to, Proposal proposal) {
        CompletableFuture<RaftClientReply> reply;
        try {
            reply = ((RaftClientAsynchronousProtocol) to.division())
                    .submitClientRequestAsync(requests.write(id, proposal));
        } catch (IOException | RuntimeException e) {
            proposals.settle(proposal, null, e);
            return;
        }
        var unused = reply.whenComplete((answer, problem) -> proposals.settle(proposal, answer, problem));
    }

    private static CompletableFuture<List<Outcome>> refuse(Kind kind, String message) {
        return CompletableFuture.failedFuture(new ProposalException(kind, message, Optional.empty()));
    }

    @Override
    public Registration listen(Runnable listener) {
        Listening registration = new Listening(listener);
        listeners.add(registration);
        return registration;
    }

    /** The same listener can be registered twice; each registration ends its own. */
    private final class Listening implements Registration {
        private final Runnable listener;

        Listening(Runnable listener) {
            this.listener = listener;
        }

        @Override
        public void close() {
            listeners.remove(this);
        }
    }

    // --- for the host ---

    void attach(Replica started) {
        replica = started;
        changed();
    }

    @Nullable Replica replica() {
        return replica;
    }

    Proposals proposals() {
        return proposals;
    }

    boolean usable() {
        return replica != null && !broken;
    }

    boolean broken() {
        return broken;
    }

    /** Takes no more proposals; those in flight go on. */
    void refuseProposals() {
        refusing = true;
    }

    /** Ended for good: nothing of it runs any more. */
    void ended() {
        refusing = true;
        proposals.abandon("group " + id + " was stopped");
        changed();
    }

    // --- for the state machine ---

    @Override
    public void changed() {
        for (Listening listening : listeners) {
            try {
                listening.listener.run();
            } catch (RuntimeException e) {
                failures.report(Optional.of(id), "a listener failed (a defect)", e);
            }
        }
    }

    @Override
    public void failed() {
        broken = true;
        proposals.abandon("group " + id + " has failed");
        changed();
    }

    @Override
    public CompletableFuture<@Nullable LogPosition> install(
            GroupStateMachine to, Optional<String> leaderId, LogPosition firstInJournal) {
        return installs.start(id, to, leaderId, firstInJournal);
    }
}
