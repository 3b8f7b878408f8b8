package tidemark.server.raft;

import java.util.Optional;

/** A proposal had no outcome. {@link #kind} tells whether it can have been written. */
public final class ProposalException extends Exception {
    private static final long serialVersionUID = 1L;

    private final Kind kind;
    private final transient Optional<String> leaderId;

    public ProposalException(Kind kind, String message, Optional<String> leaderId) {
        super(message);
        this.kind = kind;
        this.leaderId = leaderId;
    }

    public Kind kind() {
        return kind;
    }

    /** The leader to ask instead, where known. */
    public Optional<String> leaderId() {
        return leaderId;
    }

    /** Why. All but {@code INDETERMINATE} mean: definitely not written, and never will be. */
    public enum Kind {
        /** Another server leads, or none. */
        NOT_LEADER,
        /** This server was elected but has not applied its predecessors' entries yet. */
        NOT_READY,
        /** Too much in flight in this group. */
        OVERLOADED,
        /** The group or the server is stopping, or stopped after a failure. */
        CLOSED,
        /** It was handed to the log; whether it is or will be committed is unknown. */
        INDETERMINATE
    }
}
