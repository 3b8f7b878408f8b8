package tidemark.server.grpc;

import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import tidemark.server.batch.ServerTime;

/**
 * What every call needs.
 *
 * @param executor runs attempts; they do not block for long
 * @param scheduler only hands tasks to others
 */
record CallSupport(
        Router router,
        PeerChannels channels,
        Executor executor,
        ScheduledExecutorService scheduler,
        GrpcSettings settings,
        ServerTime time,
        RpcMetrics metrics) {}
