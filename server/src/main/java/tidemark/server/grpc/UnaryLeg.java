package tidemark.server.grpc;

import com.google.protobuf.MessageLite;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import tidemark.server.batch.Futures;

/** A call with one response, served here. */
final class UnaryLeg implements Leg {
    private final Supplier<? extends CompletableFuture<? extends MessageLite>> work;
    private final Downstream out;

    UnaryLeg(Supplier<? extends CompletableFuture<? extends MessageLite>> work, Downstream out) {
        this.work = work;
        this.out = out;
    }

    @Override
    public void start() {
        Futures.whenDone(work.get(), (response, failure) -> {
            if (response == null) {
                out.fail(failure == null ? new IllegalStateException("a call without response") : failure);
            } else {
                out.send(response.toByteArray());
                out.finish();
            }
        });
    }
}
