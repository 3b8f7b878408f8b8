package tidemark.server.raft;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.exceptions.LeaderNotReadyException;
import org.apache.ratis.protocol.exceptions.LeaderSteppingDownException;
import org.apache.ratis.protocol.exceptions.NotLeaderException;
import org.apache.ratis.protocol.exceptions.ResourceUnavailableException;
import org.apache.ratis.util.JavaUtils;
import org.jspecify.annotations.Nullable;
import tidemark.server.raft.ProposalException.Kind;
import tidemark.server.raft.RaftMeter.ProposalEnd;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.Outcome;

/**
 * The proposals of one group that wait for their end, and how they end.
 *
 * <p>The rule that makes "definitely not written" exact: Ratis appends to its log in the thread that submits, after it has called
 * {@code preAppendTransaction}, which marks the proposal as handed to the log. So when a submission has failed and the mark is not
 * there, the entry is in no log and nothing will put it there. In all other cases the answer is "indeterminate".
 *
 * <p>Safe for use by many threads. Bounded by Ratis' own limit of pending requests, plus the threads that submit.
 */
final class Proposals {
    private final GroupId group;
    private final RaftMeter meter;
    private final LongSupplier nanoTime;
    private final long timeoutNanos;

    private final Set<Proposal> waiting = ConcurrentHashMap.newKeySet();

    Proposals(GroupId group, RaftMeter meter, LongSupplier nanoTime, long timeoutNanos) {
        this.group = group;
        this.meter = meter;
        this.nanoTime = nanoTime;
        this.timeoutNanos = timeoutNanos;
    }

    void add(Proposal proposal) {
        waiting.add(proposal);
    }

    /** The submission returned, or later the entry was applied or given up: Ratis' answer. */
    void settle(Proposal proposal, @Nullable RaftClientReply reply, @Nullable Throwable thrown) {
        Throwable problem = thrown != null ? JavaUtils.unwrapCompletionException(thrown) : null;
        if (problem == null && reply != null && !reply.isSuccess()) {
            problem = reply.getException();
        }
        List<Outcome> outcomes = proposal.outcomes();
        if (problem == null && reply != null && reply.isSuccess() && outcomes != null) {
            end(proposal, outcomes);
        } else {
            end(proposal, explain(proposal, problem));
        }
    }

    /** Ends as indeterminate what waits for longer than allowed. Called now and then. */
    void expire() {
        long now = nanoTime.getAsLong();
        for (Proposal proposal : waiting) {
            if (now - proposal.madeNanos() >= timeoutNanos) {
                end(proposal, indeterminate("no outcome within " + timeoutNanos / 1_000_000 + " ms", null));
            }
        }
    }

    /** Ends all as indeterminate: nobody will bring their outcomes any more. */
    void abandon(String why) {
        for (Proposal proposal : waiting) {
            end(proposal, indeterminate(why, null));
        }
    }

    private void end(Proposal proposal, List<Outcome> outcomes) {
        waiting.remove(proposal);
        if (proposal.result().complete(outcomes)) {
            measure(proposal, ProposalEnd.APPLIED);
        }
    }

    private void end(Proposal proposal, ProposalException problem) {
        waiting.remove(proposal);
        if (proposal.result().completeExceptionally(problem)) {
            measure(proposal, problem.kind() == Kind.INDETERMINATE ? ProposalEnd.INDETERMINATE : ProposalEnd.REFUSED);
        }
    }

    private void measure(Proposal proposal, ProposalEnd end) {
        meter.proposalEnded(group, end, nanoTime.getAsLong() - proposal.madeNanos());
    }

    private ProposalException explain(Proposal proposal, @Nullable Throwable problem) {
        if (proposal.handedToLog()) {
            return indeterminate(problem == null ? "no outcome" : String.valueOf(problem.getMessage()), problem);
        }
        return refused(problem);
    }

    private ProposalException indeterminate(String why, @Nullable Throwable cause) {
        ProposalException e = new ProposalException(
                Kind.INDETERMINATE,
                "group " + group + ": handed to the log, whether it is or will be committed is unknown: " + why,
                leaderOf(cause));
        return withCause(e, cause);
    }

    private ProposalException refused(@Nullable Throwable problem) {
        Kind kind = refusalKind(problem);
        String message = switch (kind) {
            case NOT_LEADER -> "this server does not lead group " + group;
            case NOT_READY -> "this server is not ready to lead group " + group + " yet";
            case OVERLOADED -> "too many entries in flight in group " + group;
            case CLOSED, INDETERMINATE ->
                "group " + group + " takes no entries: " + (problem == null ? "closed" : problem.getMessage());
        };
        return withCause(new ProposalException(kind, message, leaderOf(problem)), problem);
    }

    private static Kind refusalKind(@Nullable Throwable problem) {
        if (problem instanceof NotLeaderException || problem instanceof LeaderSteppingDownException) {
            return Kind.NOT_LEADER;
        }
        if (problem instanceof LeaderNotReadyException) {
            return Kind.NOT_READY;
        }
        if (problem instanceof ResourceUnavailableException) {
            return Kind.OVERLOADED;
        }
        return Kind.CLOSED; // the division is starting or closing, or gone, or its log has failed
    }

    private static Optional<String> leaderOf(@Nullable Throwable problem) {
        if (problem instanceof NotLeaderException e && e.getSuggestedLeader() != null) {
            return Optional.of(e.getSuggestedLeader().getId().toString());
        }
        return Optional.empty();
    }

    private static ProposalException withCause(ProposalException e, @Nullable Throwable cause) {
        if (cause != null) {
            e.initCause(cause);
        }
        return e;
    }
}
