package tidemark.server.grpc;

import io.grpc.Context;
import java.util.concurrent.CompletableFuture;
import tidemark.server.batch.Batcher;
import tidemark.server.batch.Batchers;
import tidemark.server.batch.Futures;
import tidemark.server.batch.Lane;
import tidemark.server.batch.Operation;
import tidemark.statemachine.model.Outcome;

/** The way of the services to the logs of groups that this server leads. Safe for use by many threads. */
final class Writes {
    private final Batchers batchers;
    private final StoredStreams stored;

    Writes(Batchers batchers, StoredStreams stored) {
        this.batchers = batchers;
        this.stored = stored;
    }

    CompletableFuture<Outcome> submit(Here here, Operation operation) {
        return submit(here, operation, new Lane());
    }

    /**
     * Hands an operation to the batcher of the stream's group. Dropped if the call ends before its turn comes.
     *
     * @param lane operations that must not overtake a failure of one before
     */
    CompletableFuture<Outcome> submit(Here here, Operation operation, Lane lane) {
        Batcher batcher = batchers.of(here.hosted());
        if (stored.view(here.hosted(), here.stream().id()).isEmpty()) {
            // The first command of a stream's life. What follows stands behind it in the log; if it fails, so does
            // that.
            Futures.whenDone(
                    batcher.submit(new Operation.Open(here.stream().id()), () -> false), (outcome, failure) -> {});
        }
        Context call = Context.current();
        return batcher.submit(operation, lane, call::isCancelled);
    }

    /** Completes once the stream can be read here, as leader. */
    CompletableFuture<Void> opened(Here here) {
        if (stored.view(here.hosted(), here.stream().id()).isPresent()) {
            return CompletableFuture.completedFuture(null);
        }
        return batchers.of(here.hosted())
                .submit(new Operation.Open(here.stream().id()), () -> false)
                .thenAccept(outcome -> {
                    if (outcome instanceof Outcome.Rejected) {
                        throw Failures.of(outcome, here.stream().name());
                    }
                });
    }

    /** Completes once this server has proved that it leads the group. */
    CompletableFuture<Void> barrier(Here here) {
        return batchers.of(here.hosted()).barrier();
    }
}
