package tidemark.server.grpc;

/**
 * The client's side of a call, as a leg sees it. Calls of a leg that was replaced by another attempt have no effect. Safe for use by
 * many threads.
 */
interface Downstream {
    /** Tells the client that the call was accepted. From now on it is not tried elsewhere. */
    void accept();

    /** Whether the client takes messages as fast as they come; if not, {@link Leg#ready} follows. */
    boolean isReady();

    void send(byte[] message);

    /** Allows the client to send more messages. */
    void request(int messages);

    /** Ends the call well. */
    void finish();

    /** Ends the call, or has it served elsewhere if that can help and nothing was done yet. */
    void fail(Throwable failure);

    /**
     * Another server refused the call without effect: it is tried elsewhere, if nothing was accepted yet.
     *
     * @param leaderId the leader according to that server
     */
    void elsewhere(io.grpc.StatusRuntimeException refusal, java.util.Optional<String> leaderId);
}
