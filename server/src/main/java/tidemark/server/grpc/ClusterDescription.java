package tidemark.server.grpc;

import io.grpc.ManagedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import tidemark.peer.proto.HelloRequest;
import tidemark.peer.proto.HelloResponse;
import tidemark.peer.proto.PeerServiceGrpc;
import tidemark.server.raft.RaftHost.Member;
import tidemark.statemachine.model.StreamEntry;
import tidemark.v1.DescribeClusterResponse;
import tidemark.v1.Server;

/** Describes the cluster as this server sees it: asks all other servers at once, and waits a little for their answers. */
final class ClusterDescription {
    private static final long ANSWER_MILLIS = 1_000;
    private static final int PAGE = 1_000;

    private final ClusterSupport support;

    ClusterDescription(ClusterSupport support) {
        this.support = support;
    }

    CompletableFuture<DescribeClusterResponse> describe() {
        List<Member> members = support.catalog().members();
        List<CompletableFuture<Server>> servers = new ArrayList<>();
        for (Member member : members) {
            servers.add(hello(member.id()).thenApply(hello -> server(member, hello)));
        }
        return CompletableFuture.allOf(servers.toArray(CompletableFuture<?>[]::new))
                .thenApply(all -> {
                    DescribeClusterResponse.Builder response = DescribeClusterResponse.newBuilder()
                            .setClusterName(support.identity().clusterName())
                            .setServerId(support.identity().serverId())
                            .setCatalogLeaderId(
                                    support.router().catalogLeaderId().orElse(""))
                            .setStreamCount(support.catalog().streamCount());
                    // Done, so this does not wait.
                    servers.forEach(server -> response.addServers(server.join()));
                    return response.build();
                });
    }

    /** Empty if a server does not answer in time. Never fails. */
    private CompletableFuture<Optional<HelloResponse>> hello(String serverId) {
        HelloRequest request = HelloRequest.newBuilder()
                .setClusterId(support.identity().clusterId())
                .build();
        if (serverId.equals(support.identity().serverId())) {
            return ask(PeerServiceGrpc.newStub(support.self()), request);
        }
        Optional<ManagedChannel> channel = support.channels().to(serverId);
        return channel.isPresent()
                ? ask(PeerServiceGrpc.newStub(channel.get()), request)
                : CompletableFuture.completedFuture(Optional.empty());
    }

    private static CompletableFuture<Optional<HelloResponse>> ask(
            PeerServiceGrpc.PeerServiceStub stub, HelloRequest request) {
        CompletableFuture<HelloResponse> answer = Answer.of(observer ->
                stub.withDeadlineAfter(ANSWER_MILLIS, TimeUnit.MILLISECONDS).hello(request, observer));
        return answer.handle((hello, failure) -> Optional.ofNullable(hello));
    }

    private Server server(Member member, Optional<HelloResponse> hello) {
        Server.Builder server = Server.newBuilder()
                .setServerId(member.id())
                .setClientEndpoint(member.clientEndpoint())
                .setRaftEndpoint(member.raftEndpoint())
                .setReachable(hello.isPresent());
        hello.ifPresentOrElse(
                answer -> server.setVersion(answer.getVersion())
                        .setReplicaCount(answer.getReplicaCount())
                        .setLeaderCount(answer.getLeadingCount()),
                () -> server.setReplicaCount(replicas(member.id())));
        return server.build();
    }

    /** Groups that should have a replica on a server, the catalog's own not counted. */
    private int replicas(String serverId) {
        int count = 0;
        String after = "";
        while (true) {
            List<StreamEntry> page = support.catalog().list("", after, PAGE);
            for (StreamEntry entry : page) {
                if (support.catalog().replicas(entry.group()).contains(serverId)) {
                    count++;
                }
            }
            if (page.size() < PAGE) {
                return count;
            }
            after = page.get(page.size() - 1).name();
        }
    }
}
