package tidemark.server.grpc;

import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The one response of a call to another server (or to this one by way of its own services), as a future. */
final class Answer<T> implements StreamObserver<T> {
    private final CompletableFuture<T> future = new CompletableFuture<>();
    private @Nullable T value;

    private Answer() {}

    /** Makes a call with the observer of an answer, and returns that answer. */
    static <T> CompletableFuture<T> of(Consumer<StreamObserver<T>> call) {
        Answer<T> answer = new Answer<>();
        call.accept(answer);
        return answer.future;
    }

    @Override
    public void onNext(T response) {
        value = response;
    }

    @Override
    public void onError(Throwable failure) {
        future.completeExceptionally(failure);
    }

    @Override
    public void onCompleted() {
        if (value == null) {
            future.completeExceptionally(new IllegalStateException("a call ended well without a response"));
        } else {
            future.complete(value);
        }
    }
}
