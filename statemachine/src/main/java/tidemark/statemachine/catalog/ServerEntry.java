package tidemark.statemachine.catalog;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A server as the catalog knows it.
 *
 * @param id its name, for ever: 1 to 63 ASCII letters, digits, {@code .}, {@code _}, {@code -}
 * @param host where clients and other servers reach it: 1 to 255 bytes
 * @param clientPort 1 to 65535
 * @param raftPort 1 to 65535
 */
public record ServerEntry(String id, String host, int clientPort, int raftPort) {
    /** Most bytes of a server's id. */
    public static final int ID_BYTES_MAX = 63;

    /** Most bytes of a host. */
    public static final int HOST_BYTES_MAX = 255;

    private static final int PORT_MAX = 65_535;
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9._-]{1," + ID_BYTES_MAX + "}");

    /** What is wrong with it, in words for people; empty if nothing is. */
    public Optional<String> problem() {
        if (!ID.matcher(id).matches()) {
            return Optional.of("server id must be 1 to " + ID_BYTES_MAX + " letters, digits, '.', '_' or '-'");
        }
        if (host.isEmpty() || host.getBytes(UTF_8).length > HOST_BYTES_MAX) {
            return Optional.of("host of server " + id + " must have 1 to " + HOST_BYTES_MAX + " bytes");
        }
        if (!isPort(clientPort) || !isPort(raftPort)) {
            return Optional.of("ports of server " + id + " must be 1 to " + PORT_MAX);
        }
        return Optional.empty();
    }

    private static boolean isPort(int port) {
        return port >= 1 && port <= PORT_MAX;
    }
}
