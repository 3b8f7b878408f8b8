package tidemark.server.catalog;

import java.util.concurrent.CompletableFuture;
import tidemark.server.raft.HostedGroup;
import tidemark.statemachine.model.Outcome;
import tidemark.statemachine.model.StreamId;

/** Has a group host a stream. Implemented by whoever proposes commands to groups. Safe for use by many threads. */
public interface StreamOpener {
    /** Whether this replica of the group hosts the stream already. */
    boolean isOpen(HostedGroup group, StreamId stream);

    /** Proposes to host it; this server must lead the group. Opening twice does no harm. */
    CompletableFuture<Outcome> open(HostedGroup group, StreamId stream);
}
