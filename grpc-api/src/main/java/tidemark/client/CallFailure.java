package tidemark.client;

import org.jspecify.annotations.Nullable;

/**
 * A failed attempt, as the parts of the client that decide about repetition see it.
 *
 * @param kind what may be done about it
 * @param exception what the caller gets if nothing is
 * @param hintServerId the server that leads, if the failed server said so; else empty
 * @param hintEndpoint where that server is, if it said so
 * @param retryAfterNanos how long the server asks to wait; 0 if it does not
 */
record CallFailure(
        Kind kind,
        TidemarkException exception,
        String hintServerId,
        @Nullable Endpoint hintEndpoint,
        long retryAfterNanos) {
    /** What may be done about a failure. */
    enum Kind {
        /** Trying again gives the same. */
        REJECTED,
        /** Another server leads. Not written. */
        NOT_LEADER,
        /** No server leads now. Not written. */
        NO_LEADER,
        /** Too much in flight. Not written. */
        OVERLOADED,
        /** The server is stopping. Not written. */
        STOPPING,
        /** The request did not leave this machine. Not written. */
        UNREACHABLE,
        /** A read got no answer: connection lost, or too slow. */
        LOST,
        /** A write may have taken place. */
        UNKNOWN
    }

    static CallFailure of(Kind kind, TidemarkException exception) {
        return new CallFailure(kind, exception, "", null, 0);
    }
}
