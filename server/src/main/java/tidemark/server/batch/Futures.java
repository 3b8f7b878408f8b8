package tidemark.server.batch;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The end of a chain of futures. */
public final class Futures {
    private Futures() {}

    /**
     * Has a consumer called when a future is done, with its result or its failure (freed of wrappers). The consumer must not throw.
     */
    public static <T> void whenDone(
            CompletableFuture<T> future, BiConsumer<@Nullable T, @Nullable Throwable> consumer) {
        @SuppressWarnings("unused") // It carries nothing more than the future itself.
        CompletableFuture<T> same = future.whenComplete(
                (result, failure) -> consumer.accept(result, failure == null ? null : unwrapped(failure)));
    }

    /** The failure that a chain of futures wrapped. */
    public static Throwable unwrapped(Throwable failure) {
        Throwable inner = failure;
        while (inner instanceof CompletionException && inner.getCause() != null) {
            inner = inner.getCause();
        }
        return inner;
    }
}
