package tidemark.server.grpc;

import java.time.Duration;

/**
 * How the client port is served.
 *
 * @param host address to listen on
 * @param port 0: any free one
 * @param inboundMessageBytesMax largest message taken from a client or server; must hold the largest batch with its encoding
 * @param callsPerConnectionMax calls that one connection may have open
 * @param readsMax open Read calls of the whole server
 * @param readThreads threads that read from disk for them
 * @param routingPatience how long a call waits for a leader to be found or elected, if its deadline allows
 * @param heartbeat interval of heartbeats to readers with nothing to read
 * @param createPatience how long CreateStream waits for the new stream's leader when the call has no deadline
 */
public record GrpcSettings(
        String host,
        int port,
        int inboundMessageBytesMax,
        int callsPerConnectionMax,
        int readsMax,
        int readThreads,
        Duration routingPatience,
        Duration heartbeat,
        Duration createPatience) {

    /** The defaults, for an address. */
    public static GrpcSettings at(String host, int port) {
        return new GrpcSettings(
                host,
                port,
                2 << 20,
                1_000,
                10_000,
                Math.max(2, Runtime.getRuntime().availableProcessors()),
                Duration.ofSeconds(10),
                Duration.ofSeconds(5),
                Duration.ofSeconds(30));
    }
}
