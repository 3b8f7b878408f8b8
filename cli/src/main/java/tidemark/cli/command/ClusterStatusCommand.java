package tidemark.cli.command;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import tidemark.cli.text.Amounts;
import tidemark.cli.text.Json;
import tidemark.cli.text.Table;
import tidemark.client.ClusterInfo;
import tidemark.client.TidemarkClient;

/** Shows servers and leaders. */
@Command(name = "status", description = "Show servers, replicas and leaders, as the server that answers sees them.")
final class ClusterStatusCommand extends OnlineCommand {
    @Override
    void run(TidemarkClient client, Output output) throws IOException {
        ClusterInfo cluster = client.describeCluster();
        if (output.isJson()) {
            output.line(json(cluster));
        } else {
            print(cluster, output);
        }
    }

    private static Json json(ClusterInfo cluster) {
        List<Json> servers = new ArrayList<>();
        for (ClusterInfo.Server server : cluster.servers()) {
            servers.add(new Json()
                    .add("server_id", server.serverId())
                    .add("client_endpoint", server.clientEndpoint())
                    .add("raft_endpoint", server.raftEndpoint())
                    .add("reachable", server.reachable())
                    .add("replicas", server.replicaCount())
                    .add("leaders", server.leaderCount())
                    .add("version", server.version().isEmpty() ? null : server.version()));
        }
        return new Json()
                .add("cluster_name", cluster.clusterName())
                .add("answered_by", cluster.serverId())
                .add("catalog_leader", cluster.catalogLeaderId().isEmpty() ? null : cluster.catalogLeaderId())
                .add("streams", cluster.streamCount())
                .addObjects("servers", servers);
    }

    private static void print(ClusterInfo cluster, Output output) throws IOException {
        output.line("cluster " + cluster.clusterName() + ": "
                + Amounts.count(cluster.servers().size(), "server") + ", "
                + Amounts.count(cluster.streamCount(), "stream") + ", catalog leader "
                + Streams.orUnknown(cluster.catalogLeaderId()) + ", as seen by " + cluster.serverId());
        Table table = new Table("SERVER", "CLIENTS", "RAFT", "STATE", "REPLICAS", "LEADS", "VERSION");
        for (ClusterInfo.Server server : cluster.servers()) {
            table.row(
                    server.serverId(),
                    server.clientEndpoint(),
                    server.raftEndpoint(),
                    server.reachable() ? "up" : "not reachable",
                    Integer.toString(server.replicaCount()),
                    Integer.toString(server.leaderCount()),
                    server.version());
        }
        output.print(table.toString());
    }
}
