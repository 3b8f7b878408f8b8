package tidemark.server.storage;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Collection;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Whose data a directory holds.
 *
 * @param clusterId the same on all servers of the cluster, of no other cluster
 */
public record Owner(String clusterName, UUID clusterId, String serverId) {
    /** A server of the cluster with a name and these first members. Their order does not matter. */
    public static Owner of(String clusterName, Collection<String> memberIds, String serverId) {
        String members = memberIds.stream().sorted().collect(Collectors.joining(","));
        UUID clusterId = UUID.nameUUIDFromBytes(("tidemark cluster\n" + clusterName + "\n" + members).getBytes(UTF_8));
        return new Owner(clusterName, clusterId, serverId);
    }
}
