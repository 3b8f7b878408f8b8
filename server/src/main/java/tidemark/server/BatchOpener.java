package tidemark.server;

import java.util.concurrent.CompletableFuture;
import tidemark.server.batch.Batchers;
import tidemark.server.batch.Operation;
import tidemark.server.catalog.StreamOpener;
import tidemark.server.raft.HostedGroup;
import tidemark.statemachine.machine.GroupMachine;
import tidemark.statemachine.model.Outcome;
import tidemark.statemachine.model.StreamId;

/** Opens streams through the batchers, as all commands of groups go. */
final class BatchOpener implements StreamOpener {
    private final Batchers batchers;

    BatchOpener(Batchers batchers) {
        this.batchers = batchers;
    }

    @Override
    public boolean isOpen(HostedGroup group, StreamId stream) {
        return group.machine() instanceof GroupMachine machine
                && machine.stream(stream).isPresent();
    }

    @Override
    public CompletableFuture<Outcome> open(HostedGroup group, StreamId stream) {
        return batchers.of(group).submit(new Operation.Open(stream), () -> false);
    }
}
