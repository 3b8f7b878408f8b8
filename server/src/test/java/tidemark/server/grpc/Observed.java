package tidemark.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The responses of a streaming call, taken one by one. */
final class Observed<Q, R> implements ClientResponseObserver<Q, R> {
    private static final long SECONDS_MAX = 20;

    private final BlockingQueue<Event<R>> events = new LinkedBlockingQueue<>();
    private final boolean onRequest;
    private volatile @Nullable ClientCallStreamObserver<Q> call;

    private record Event<R>(Optional<R> response, Optional<Throwable> failure) {}

    private Observed(boolean onRequest) {
        this.onRequest = onRequest;
    }

    static <Q, R> Observed<Q, R> all() {
        return new Observed<>(false);
    }

    /** Takes no response before it was asked for. */
    static <Q, R> Observed<Q, R> onRequest() {
        return new Observed<>(true);
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<Q> stream) {
        call = stream;
        if (onRequest) {
            stream.disableAutoRequestWithInitial(0);
        }
    }

    void request(int count) {
        call().request(count);
    }

    void cancel() {
        call().cancel("the test is done", null);
    }

    private ClientCallStreamObserver<Q> call() {
        return java.util.Objects.requireNonNull(call);
    }

    @Override
    public void onNext(R response) {
        events.add(new Event<>(Optional.of(response), Optional.empty()));
    }

    @Override
    public void onError(Throwable failure) {
        events.add(new Event<>(Optional.empty(), Optional.of(failure)));
    }

    @Override
    public void onCompleted() {
        events.add(new Event<>(Optional.empty(), Optional.empty()));
    }

    R next() {
        Event<R> event = event();
        assertThat(event.failure).as("failure").isEmpty();
        return event.response.orElseThrow(() -> new AssertionError("the call ended"));
    }

    /** The responses up to the end of the call, which must be a good one. */
    List<R> rest() {
        List<R> responses = new ArrayList<>();
        while (true) {
            Event<R> event = event();
            assertThat(event.failure).as("failure").isEmpty();
            if (event.response.isEmpty()) {
                return responses;
            }
            responses.add(event.response.get());
        }
    }

    /** The error that ends the call; responses before it are skipped. */
    StatusRuntimeException failure() {
        while (true) {
            Event<R> event = event();
            if (event.failure.isPresent()) {
                return (StatusRuntimeException) event.failure.get();
            }
            assertThat(event.response)
                    .as("a good end, where a failure was expected")
                    .isPresent();
        }
    }

    void nothingMore() {
        assertThat(events).isEmpty();
    }

    private Event<R> event() {
        try {
            @Nullable Event<R> event = events.poll(SECONDS_MAX, TimeUnit.SECONDS);
            assertThat(event)
                    .as("a response or the end within " + SECONDS_MAX + " s")
                    .isNotNull();
            return java.util.Objects.requireNonNull(event);
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }
}
