package tidemark.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tidemark.peer.proto.GetManifestRequest;
import tidemark.peer.proto.HelloRequest;
import tidemark.peer.proto.PeerServiceGrpc;
import tidemark.server.raft.PeerSnapshots;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.StreamId;
import tidemark.v1.ErrorReason;

/** What servers ask of each other, through the client that followers use. */
class PeerServiceTest {
    private final FakeCluster cluster = new FakeCluster(2);
    private final PeerClient client = new PeerClient(cluster.node(2).channels, FakeCluster.CLUSTER_ID, "s2");
    private GroupId group;
    private StreamId stream;

    @BeforeEach
    void createStream() {
        cluster.create("orders", 1);
        group = cluster.node(1).catalog.stream("orders").orElseThrow().group();
        stream = cluster.node(1).catalog.stream("orders").orElseThrow().id();
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void aManifestComesAsItIs() throws IOException {
        assertThat(new String(client.manifest("s1", group), StandardCharsets.UTF_8))
                .isEqualTo("manifest of " + group);
    }

    @Test
    void aRangeOfASegmentComesInChunks() throws IOException {
        byte[] bytes = new byte[3_000_000];
        new Random(1).nextBytes(bytes);
        cluster.node(1).stored.segments.put(7L, bytes);
        ByteArrayOutputStream received = new ByteArrayOutputStream();

        client.segment("s1", group, stream, 7, 1_000, 2_500_000, chunk -> {
            byte[] copy = new byte[chunk.remaining()];
            chunk.get(copy);
            received.write(copy);
        });

        assertThat(received.toByteArray()).isEqualTo(java.util.Arrays.copyOfRange(bytes, 1_000, 2_500_000));
    }

    @Test
    void anEmptyRangeIsEmpty() throws IOException {
        cluster.node(1).stored.segments.put(7L, new byte[10]);

        client.segment("s1", group, stream, 7, 5, 5, chunk -> {
            throw new AssertionError("no bytes were asked for");
        });
    }

    @Test
    void aFailingTakerEndsTheTransfer() {
        cluster.node(1).stored.segments.put(7L, new byte[50_000_000]);

        assertThatThrownBy(() -> client.segment("s1", group, stream, 7, 0, 50_000_000, chunk -> {
                    throw new IOException("the disk is full");
                }))
                .hasMessage("the disk is full");
        Calls.await("the transfer to end", () -> cluster.node(1).server.openCalls() == 0);
    }

    @Test
    void whatIsNotThereIsAnError() {
        assertThatThrownBy(() -> client.segment("s1", group, stream, 8, 0, 1, chunk -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("NOT_FOUND");
        assertThatThrownBy(() -> client.manifest("s1", new GroupId(new UUID(4, 4))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("NOT_FOUND");
        assertThatThrownBy(() -> client.manifest("s7", group))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("not known");
    }

    @Test
    void aSegmentThatIsShorterThanExpectedIsAnError() {
        cluster.node(1).stored.segments.put(7L, new byte[10]);

        assertThatThrownBy(() -> client.segment("s1", group, stream, 7, 0, 11, chunk -> {}))
                .isInstanceOf(IOException.class);
    }

    @Test
    void serversOfAnotherClusterAreRefused() {
        PeerSnapshots stranger = new PeerClient(cluster.node(2).channels, "cluster-2", "s2");
        assertThatThrownBy(() -> stranger.manifest("s1", group))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("another cluster");
        assertThatThrownBy(() -> stranger.segment("s1", group, stream, 7, 0, 1, chunk -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("another cluster");
        assertThat(Calls.reason(() -> PeerServiceGrpc.newBlockingStub(cluster.node(1).channel)
                        .hello(HelloRequest.newBuilder()
                                .setClusterId("cluster-2")
                                .build())))
                .isEqualTo(ErrorReason.ERROR_REASON_INVALID_FIELD);
    }

    /** Whatever server is asked: it is the catalog's leader that must note it. */
    @Test
    void removalsReachTheCatalogsLeader() throws IOException {
        PeerClient first = new PeerClient(cluster.node(1).channels, FakeCluster.CLUSTER_ID, "s1");

        first.removed("s2", List.of(group));

        assertThat(cluster.node(1).catalog.removals()).containsExactly(group + " on s1");
    }

    @Test
    void malformedIdsAreRefused() {
        GetManifestRequest request = GetManifestRequest.newBuilder()
                .setClusterId(FakeCluster.CLUSTER_ID)
                .setGroupId(ByteString.copyFromUtf8("short"))
                .build();

        assertThat(Calls.reason(() ->
                        PeerServiceGrpc.newBlockingStub(cluster.node(1).channel).getManifest(request)))
                .isEqualTo(ErrorReason.ERROR_REASON_INVALID_FIELD);
    }
}
