package tidemark.server.grpc;

import io.grpc.Metadata;

/**
 * What a call says about its way through the cluster, in its metadata.
 *
 * @param noForward the caller wants to be told the leader rather than be forwarded
 * @param hops how many servers have handed the call on already
 */
record CallHeaders(boolean noForward, int hops) {
    /** From the server asked to the catalog's leader, to a replica, to the leader it knows. */
    static final int HOPS_MAX = 3;

    private static final Metadata.Key<String> NO_FORWARD =
            Metadata.Key.of("tidemark-no-forward", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> HOPS = Metadata.Key.of("tidemark-hops", Metadata.ASCII_STRING_MARSHALLER);

    /** @throws io.grpc.StatusRuntimeException INVALID_FIELD if one is malformed */
    static CallHeaders of(Metadata headers) {
        return new CallHeaders(noForward(headers.get(NO_FORWARD)), hops(headers.get(HOPS)));
    }

    private static boolean noForward(@org.jspecify.annotations.Nullable String value) {
        if (value == null || value.equals("0")) {
            return false;
        }
        if (value.equals("1")) {
            return true;
        }
        throw Errors.invalidField("", "metadata " + NO_FORWARD.name(), "must be 0 or 1");
    }

    private static int hops(@org.jspecify.annotations.Nullable String value) {
        if (value == null) {
            return 0;
        }
        if (value.length() != 1 || value.charAt(0) < '0' || value.charAt(0) > '9') {
            throw Errors.invalidField(
                    "", "metadata " + HOPS.name(), "must be a number from 0 to 9; only servers set it");
        }
        return value.charAt(0) - '0';
    }

    /** A server handed the call to this one. Only the first server tries again and waits for leaders, so that tries do not multiply. */
    boolean forwarded() {
        return hops > 0;
    }

    boolean mayForward() {
        return !noForward && hops < HOPS_MAX;
    }

    /** For the next server. */
    Metadata next() {
        Metadata headers = new Metadata();
        headers.put(HOPS, Integer.toString(hops + 1));
        return headers;
    }
}
