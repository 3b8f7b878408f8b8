package tidemark.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Waits for futures that fail with {@link TidemarkException}s only. */
final class Futures {
    private Futures() {}

    /**
     * The future's value, or its exception as it is: many futures may share it. A caller that is interrupted stops waiting:
     * {@link TidemarkException.Indeterminate} with the interrupt flag set, since what it waited for goes on.
     */
    static <T> T join(CompletableFuture<T> future) {
        try {
            return future.get();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new TidemarkException.Indeterminate(
                    Reason.CLOSED, "", "interrupted while waiting; the call goes on by itself", interrupted);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof TidemarkException failure) {
                throw failure;
            }
            throw new IllegalStateException("a call failed in an unforeseen way", failed);
        }
    }
}
