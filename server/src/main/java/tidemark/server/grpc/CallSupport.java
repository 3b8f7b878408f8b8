package tidemark.server.grpc;

import java.util.concurrent.Executor;
import tidemark.server.batch.ServerTime;

/**
 * What every call needs.
 *
 * @param executor runs attempts; they do not block for long
 */
record CallSupport(
        Router router,
        PeerChannels channels,
        Executor executor,
        Timer timer,
        GrpcSettings settings,
        ServerTime time,
        RpcMetrics metrics) {}
