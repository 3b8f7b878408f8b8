package tidemark.client;

/** Why a call failed: the server's {@code ErrorReason}s, and those that only a client can find. */
public enum Reason {
    /** A field of the request is malformed or out of its range. */
    INVALID_FIELD,
    /** The server does not know a field, a value or the whole call: it is older than this client. */
    UNSUPPORTED,
    /** A record, batch, name or list is over its limit. */
    TOO_LARGE,
    /** No stream of this name. */
    STREAM_NOT_FOUND,
    /** A stream of this name exists with other settings. */
    STREAM_EXISTS,
    /** The offset lies below the stream's start. */
    OFFSET_TRUNCATED,
    /** The offset lies beyond the stream's end. */
    OFFSET_BEYOND_END,
    /** The stream's end was not the expected one. */
    END_CONFLICT,
    /** The stream's start was not the expected one. */
    START_CONFLICT,
    /** The stream's settings were changed since the expected revision. */
    REVISION_CONFLICT,
    /** A writer left out a sequence. */
    OUT_OF_SEQUENCE,
    /** The stream does not remember the writer. */
    UNKNOWN_WRITER,
    /** A repeat of an append so old that its offsets are no longer remembered; it was written once. */
    SEQUENCE_EXPIRED,
    /** The stream takes no more appends. */
    SEALED,
    /** The server asked does not lead the stream. */
    NOT_LEADER,
    /** No leader is known at present. */
    NO_LEADER,
    /** Too much in flight. */
    OVERLOADED,
    /** The outcome of a write is unknown. */
    INDETERMINATE,
    /** A replica's copy of the data is damaged. */
    CORRUPT,
    /** The server is stopping. */
    SHUTTING_DOWN,
    /** Too few live servers for the wanted number of replicas. */
    NOT_ENOUGH_SERVERS,
    /** A defect of the server, or an answer that breaks the protocol. */
    INTERNAL,
    /** No server could be reached, or the connection broke. */
    UNREACHABLE,
    /** The time ran out. */
    TIMEOUT,
    /** The client, appender or reader was closed. */
    CLOSED,
    /** An append behind one that failed. */
    NOT_SENT
}
