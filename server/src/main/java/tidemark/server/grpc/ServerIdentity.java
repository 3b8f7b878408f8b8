package tidemark.server.grpc;

/**
 * Who this server is.
 *
 * @param clusterName for people
 * @param clusterId servers of another cluster are refused
 * @param serverId this server's name in the cluster, for ever
 * @param version of the software
 */
public record ServerIdentity(String clusterName, String clusterId, String serverId, String version) {}
