package tidemark.client;

/** Which replica may answer a read, and what it must prove first. */
public enum ReadMode {
    /** From the server that holds itself to be the leader. */
    LEADER(tidemark.v1.ReadMode.READ_MODE_LEADER),
    /** Reflects every append acknowledged before the request was sent. */
    LINEARIZABLE(tidemark.v1.ReadMode.READ_MODE_LINEARIZABLE),
    /** From whichever replica is asked: a prefix of the stream, which may lag. */
    ANY(tidemark.v1.ReadMode.READ_MODE_ANY);

    private final tidemark.v1.ReadMode proto;

    ReadMode(tidemark.v1.ReadMode proto) {
        this.proto = proto;
    }

    tidemark.v1.ReadMode proto() {
        return proto;
    }
}
