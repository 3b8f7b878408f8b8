package tidemark.server.grpc;

import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where all calls of our own services come in: refused before the server serves and once it stops, else routed. Knows the open calls.
 * Safe for use by many threads.
 */
final class Gate {
    private static final Logger LOG = LoggerFactory.getLogger(Gate.class);

    // Guarded by this.
    private @Nullable Serving serving;
    private boolean closed;
    private final Set<RoutedCall<?>> open = new HashSet<>();

    private final CountDownLatch allEnded = new CountDownLatch(1);

    private record Serving(Map<String, RoutedMethod<?>> methods, CallSupport support) {}

    /** A service whose messages stay bytes; with its descriptor, so that reflection can tell what it is. */
    ServerServiceDefinition service(ServiceDescriptor service) {
        ServiceDescriptor.Builder wire =
                ServiceDescriptor.newBuilder(service.getName()).setSchemaDescriptor(service.getSchemaDescriptor());
        List<MethodDescriptor<byte[], byte[]>> methods = service.getMethods().stream()
                .<MethodDescriptor<byte[], byte[]>>map(RoutedMethod::wire)
                .toList();
        methods.forEach(wire::addMethod);
        ServerServiceDefinition.Builder definition = ServerServiceDefinition.builder(wire.build());
        for (MethodDescriptor<byte[], byte[]> method : methods) {
            ServerCallHandler<byte[], byte[]> handler =
                    (call, headers) -> enter(method.getFullMethodName(), call, headers);
            definition.addMethod(ServerMethodDefinition.create(method, handler));
        }
        return definition.build();
    }

    /** Lets calls in. */
    synchronized void open(List<RoutedMethod<?>> methods, CallSupport support) {
        serving = new Serving(
                methods.stream()
                        .collect(Collectors.toMap(method -> method.wire().getFullMethodName(), Function.identity())),
                support);
    }

    /** Lets no more calls in, tells those that are open to end, and waits until they have, up to a time. */
    void close(Duration patience) {
        List<RoutedCall<?>> calls;
        synchronized (this) {
            closed = true;
            calls = List.copyOf(open);
            if (open.isEmpty()) {
                allEnded.countDown();
            }
        }
        calls.forEach(RoutedCall::drain);
        try {
            if (!allEnded.await(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn("{} calls were still open after {} and are cut off", openCalls(), patience);
            }
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }

    synchronized int openCalls() {
        return open.size();
    }

    private ServerCall.Listener<byte[]> enter(String method, ServerCall<byte[], byte[]> call, Metadata headers) {
        try {
            RoutedCall<?> entered = entered(method, call, CallHeaders.of(headers));
            entered.start();
            return entered;
        } catch (RuntimeException failure) {
            StatusRuntimeException refusal = Failures.of(failure, "", id -> Optional.empty());
            Metadata trailers = refusal.getTrailers();
            call.close(refusal.getStatus(), trailers == null ? new Metadata() : trailers);
            return new ServerCall.Listener<>() {};
        }
    }

    private synchronized RoutedCall<?> entered(String method, ServerCall<byte[], byte[]> call, CallHeaders headers) {
        if (closed) {
            throw Errors.shuttingDown();
        }
        if (serving == null) {
            throw Errors.unavailable("", "this server is starting; try again soon, or ask another server");
        }
        RoutedMethod<?> routed = serving.methods.get(method);
        if (routed == null) {
            throw new IllegalStateException("no way is known for " + method);
        }
        RoutedCall<?> entered = new RoutedCall<>(routed, call, headers, serving.support, this::ended);
        open.add(entered);
        return entered;
    }

    private synchronized void ended(RoutedCall<?> call) {
        open.remove(call);
        if (closed && open.isEmpty()) {
            allEnded.countDown();
        }
    }
}
