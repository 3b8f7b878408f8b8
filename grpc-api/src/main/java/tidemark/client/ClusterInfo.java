package tidemark.client;

import java.util.List;

/**
 * Servers and groups as the answering server sees them.
 *
 * @param clusterName the cluster's name
 * @param serverId the server that answered
 * @param catalogLeaderId the leader of the catalog; empty if unknown
 * @param servers all servers
 * @param streamCount number of streams
 */
public record ClusterInfo(
        String clusterName, String serverId, String catalogLeaderId, List<Server> servers, long streamCount) {
    /** Copies the list. */
    public ClusterInfo {
        servers = List.copyOf(servers);
    }

    /**
     * One server.
     *
     * @param serverId its id
     * @param clientEndpoint {@code host:port} for clients, as the server advertises it
     * @param raftEndpoint {@code host:port} for Raft
     * @param reachable heard from within the last seconds, as the answering server sees it
     * @param replicaCount groups that have a replica there
     * @param leaderCount groups that lead there, as far as the answering server knows
     * @param version software version; empty if not reachable
     */
    public record Server(
            String serverId,
            String clientEndpoint,
            String raftEndpoint,
            boolean reachable,
            int replicaCount,
            int leaderCount,
            String version) {}
}
