package tidemark.server.grpc;

/**
 * Which server a call must be served by.
 *
 * @param stream the stream it is about; empty for those about the cluster
 */
record Target(Place place, String stream) {
    /** The kinds of servers. */
    enum Place {
        /** The one that was asked. */
        HERE,
        CATALOG_LEADER,
        /** The catalog's leader knows best; if there is none, the one that was asked answers from its copy. */
        CATALOG_LEADER_ELSE_HERE,
        STREAM_LEADER,
        STREAM_LEADER_ELSE_HERE,
        /** The one that was asked if it has a replica, else any that has. */
        STREAM_REPLICA
    }

    static final Target HERE = new Target(Place.HERE, "");

    boolean elseHere() {
        return place == Place.CATALOG_LEADER_ELSE_HERE || place == Place.STREAM_LEADER_ELSE_HERE;
    }
}
