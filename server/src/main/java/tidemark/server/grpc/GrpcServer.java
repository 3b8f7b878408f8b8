package tidemark.server.grpc;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import tidemark.server.batch.Batchers;
import tidemark.server.batch.ServerTime;
import tidemark.server.catalog.Catalog;
import tidemark.server.raft.RaftHost;

/**
 * The client port: public services, health, reflection, and what servers ask of each other.
 *
 * <p>Life: {@link #start} binds the port (all calls but health are refused as starting), {@link #serve} opens for calls, {@link #stop}
 * refuses new ones, lets appends in flight finish and closes.
 */
public final class GrpcServer implements Closeable {
    private final GrpcSettings settings;
    private final ServerIdentity identity;
    private final PeerChannels channels;
    private final RpcMetrics metrics;
    private final ServerTime time;

    public GrpcServer(
            GrpcSettings settings,
            ServerIdentity identity,
            PeerChannels channels,
            RpcMetrics metrics,
            ServerTime time) {
        this.settings = settings;
        this.identity = identity;
        this.channels = channels;
        this.metrics = metrics;
        this.time = time;
    }

    /**
     * Binds the port.
     *
     * @throws PortInUseException if the address cannot be bound
     */
    public void start() throws IOException {
        throw new UnsupportedOperationException("not built yet: " + settings + identity + channels + metrics + time);
    }

    /** Opens for calls. */
    public void serve(RaftHost raft, Catalog catalog, Batchers batchers) {
        throw new UnsupportedOperationException("not built yet");
    }

    /** The bound port. */
    public int port() {
        throw new UnsupportedOperationException("not built yet");
    }

    /** Refuses new calls, ends following reads, waits for calls that write up to a time, closes. */
    public void stop(Duration patience) {
        throw new UnsupportedOperationException("not built yet " + patience);
    }

    @Override
    public void close() {
        stop(Duration.ZERO);
    }
}
