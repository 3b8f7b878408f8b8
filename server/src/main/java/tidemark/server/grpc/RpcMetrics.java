package tidemark.server.grpc;

import java.util.Optional;

/** What the services tell of their work. Called on hot paths: must return at once. Safe for use by many threads. */
public interface RpcMetrics {
    /** Counts nothing. */
    RpcMetrics NONE = new RpcMetrics() {
        @Override
        public void callStarted(String method) {}

        @Override
        public void callEnded(String method, String status, Optional<String> reason, long nanos) {}

        @Override
        public void callForwarded(String method) {}

        @Override
        public void appended(int records, long bytes, long nanos) {}

        @Override
        public void read(int records, long bytes) {}
    };

    /** @param method service and method, e.g. {@code tidemark.v1.LogService/Append} */
    void callStarted(String method);

    /**
     * @param status the name of the gRPC status code
     * @param reason the name of the error's reason without its prefix, if the call failed
     */
    void callEnded(String method, String status, Optional<String> reason, long nanos);

    /** A call was handed to another server (again for each server tried). */
    void callForwarded(String method);

    /** A batch was appended here as leader: its encoded bytes, and the time from its arrival to its outcome. */
    void appended(int records, long bytes, long nanos);

    /** Records were sent to a reader. */
    void read(int records, long bytes);
}
