package tidemark.server.grpc;

/**
 * One attempt to serve a call: here, or by way of another server. The events of a client are given by one thread at a time; none must
 * block.
 */
interface Leg {
    /** Called once, before anything else. */
    void start();

    /** A further message of a client that streams; only after it was {@link Downstream#request requested}. */
    default void message(byte[] message) {
        throw Errors.invalidField("", "", "the call takes one message only");
    }

    /** The client sends no more. */
    default void halfClose() {}

    /** The call is over; nothing more will reach the client. */
    default void cancel() {}

    /** The client can take more. */
    default void ready() {}

    /** The server stops: what does not end by itself soon ends now with SHUTTING_DOWN. */
    default void drain() {}
}
