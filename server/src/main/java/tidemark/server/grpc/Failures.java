package tidemark.server.grpc;

import io.grpc.StatusRuntimeException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tidemark.server.batch.AbandonedException;
import tidemark.server.batch.Futures;
import tidemark.server.raft.ProposalException;
import tidemark.server.raft.RaftHost.Member;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.model.Outcome;

/** Turns whatever went wrong inside into the error that the client gets. Nothing passes as a bare UNKNOWN. */
final class Failures {
    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);
    private static final AtomicLong INTERNAL_ERRORS = new AtomicLong();

    private Failures() {}

    /**
     * The error for a client.
     *
     * @param stream the stream that the call named; empty if none
     * @param members finds the address of a leader
     */
    static StatusRuntimeException of(Throwable failure, String stream, Function<String, Optional<Member>> members) {
        Throwable cause = Futures.unwrapped(failure);
        if (cause instanceof StatusRuntimeException known
                && Errors.detail(known).isPresent()) {
            return known;
        }
        if (cause instanceof ProposalException proposal) {
            return of(proposal, stream, members);
        }
        if (cause instanceof AbandonedException abandoned) {
            return Errors.overloaded(stream, "not written: " + abandoned.getMessage());
        }
        if (cause instanceof StorageException storage) {
            LOG.error("cannot read stream '{}'", stream, storage);
            return Errors.corrupt(stream, String.valueOf(storage.getMessage()));
        }
        String id = "internal-" + INTERNAL_ERRORS.incrementAndGet();
        LOG.error("{} in a call for stream '{}'", id, stream, cause);
        return Errors.internal(id);
    }

    private static StatusRuntimeException of(
            ProposalException proposal, String stream, Function<String, Optional<Member>> members) {
        return switch (proposal.kind()) {
            case NOT_LEADER -> Errors.notLeader(stream, proposal.leaderId().flatMap(members));
            case NOT_READY -> Errors.noLeader(stream, "the new leader is not ready yet");
            case OVERLOADED -> Errors.overloaded(stream, String.valueOf(proposal.getMessage()));
            case CLOSED -> Errors.unavailable(stream, "this server's replica is closed; ask another server");
            case INDETERMINATE -> Errors.indeterminate(stream, String.valueOf(proposal.getMessage()));
        };
    }

    /** Whether another server, or this one a little later, may well do what failed here; and nothing was written. */
    static boolean isElsewhere(Throwable failure) {
        if (!(Futures.unwrapped(failure) instanceof ProposalException proposal)) {
            return false;
        }
        return switch (proposal.kind()) {
            case NOT_LEADER, NOT_READY, CLOSED -> true;
            case OVERLOADED, INDETERMINATE -> false;
        };
    }

    /** The error for an outcome that is not what was asked for. */
    static StatusRuntimeException of(Outcome outcome, String stream) {
        if (outcome instanceof Outcome.UnknownStream) {
            return Errors.streamNotFound(stream);
        }
        if (outcome instanceof Outcome.StreamSealed sealed) {
            return Errors.sealed(stream, sealed.endOffset());
        }
        if (outcome instanceof Outcome.EndConflict conflict) {
            return Errors.endConflict(stream, conflict.expectedEnd(), conflict.actualEnd(), conflict.lastTimestampMs());
        }
        if (outcome instanceof Outcome.StartConflict conflict) {
            return Errors.startConflict(stream, conflict.expectedStart(), conflict.startOffset(), conflict.endOffset());
        }
        if (outcome instanceof Outcome.BeyondEnd beyond) {
            return Errors.offsetBeyondEnd(stream, beyond.requested(), beyond.startOffset(), beyond.endOffset());
        }
        return ofWriterOrCatalog(outcome, stream);
    }

    private static StatusRuntimeException ofWriterOrCatalog(Outcome outcome, String stream) {
        if (outcome instanceof Outcome.OutOfSequence sequence) {
            return Errors.outOfSequence(stream, sequence.sequence(), sequence.nextSequence());
        }
        if (outcome instanceof Outcome.UnknownWriter writer) {
            return Errors.unknownWriter(stream, writer.sequence());
        }
        if (outcome instanceof Outcome.SequenceExpired expired) {
            return Errors.sequenceExpired(stream, expired.sequence(), expired.nextSequence());
        }
        if (outcome instanceof Outcome.StreamExists exists) {
            return Errors.streamExists(stream, String.valueOf(exists.existing().settings()));
        }
        if (outcome instanceof Outcome.RevisionConflict conflict) {
            return Errors.revisionConflict(stream, conflict.expected(), conflict.actual());
        }
        if (outcome instanceof Outcome.NotEnoughServers servers) {
            return Errors.notEnoughServers(stream, servers.wanted(), servers.available());
        }
        return of(new IllegalStateException("unexpected outcome " + outcome), stream, id -> Optional.empty());
    }
}
