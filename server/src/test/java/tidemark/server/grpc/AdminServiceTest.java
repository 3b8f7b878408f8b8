package tidemark.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static tidemark.server.grpc.Calls.append;
import static tidemark.server.grpc.Calls.detail;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tidemark.v1.AdminServiceGrpc;
import tidemark.v1.CreateStreamRequest;
import tidemark.v1.CreateStreamResponse;
import tidemark.v1.DeleteStreamRequest;
import tidemark.v1.DescribeClusterRequest;
import tidemark.v1.DescribeClusterResponse;
import tidemark.v1.ErrorDetail;
import tidemark.v1.ErrorReason;
import tidemark.v1.GetStreamRequest;
import tidemark.v1.ListStreamsRequest;
import tidemark.v1.ListStreamsResponse;
import tidemark.v1.SealStreamRequest;
import tidemark.v1.Server;
import tidemark.v1.Stream;
import tidemark.v1.StreamSettings;
import tidemark.v1.UpdateStreamRequest;

/** Three servers; s1 leads the catalog and whatever is new. Asked is always a server that does not. */
class AdminServiceTest {
    private final FakeCluster cluster = new FakeCluster(3);
    private final FakeCluster.Node node = cluster.node(2);

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void aNewStreamHasDefaultsAndTakesAppends() {
        CreateStreamResponse created = node.admin().createStream(create("orders", StreamSettings.getDefaultInstance()));

        assertThat(created.getCreated()).isTrue();
        Stream stream = created.getStream();
        assertThat(stream.getName()).isEqualTo("orders");
        assertThat(stream.getSettings().getReplicas()).isEqualTo(3);
        assertThat(stream.getSettings().getMaxRecordBytes()).isEqualTo(1_000_000);
        assertThat(stream.getReplicaIdsList()).containsExactly("s1", "s2", "s3");
        assertThat(stream.getLeaderId()).isEqualTo("s1");
        assertThat(stream.getStartOffset()).isZero();
        assertThat(stream.getEndOffset()).isZero();
        assertThat(node.log().append(append("orders", "a")).getEndOffset()).isEqualTo(1);
    }

    @Test
    void creatingAgainSucceedsWithTheSameSettingsOnly() {
        CreateStreamRequest request =
                create("orders", StreamSettings.newBuilder().putLabels("a", "b").build());
        String id = node.admin().createStream(request).getStream().getStreamId();

        CreateStreamResponse again = node.admin().createStream(request);
        ErrorDetail other =
                detail(() -> node.admin().createStream(create("orders", StreamSettings.getDefaultInstance())));

        assertThat(again.getCreated()).isFalse();
        assertThat(again.getStream().getStreamId()).isEqualTo(id);
        assertThat(other.getReason()).isEqualTo(ErrorReason.ERROR_REASON_STREAM_EXISTS);
    }

    @Test
    void creatingWaitsForALeader() {
        cluster.newGroupsStayWithoutLeader();
        Observed<CreateStreamRequest, CreateStreamResponse> call = Observed.all();
        AdminServiceGrpc.newStub(node.channel)
                .createStream(create("orders", StreamSettings.getDefaultInstance()), call);
        Calls.await(
                "the stream to be in the catalog",
                () -> node.catalog.stream("orders").isPresent());
        call.nothingMore();

        cluster.log("orders").lead("s3");

        assertThat(call.next().getStream().getLeaderId()).isEqualTo("s3");
    }

    @Test
    void creatingTellsThatTheStreamExistsWithoutLeaderWhenTimeIsUp() {
        cluster.newGroupsStayWithoutLeader();

        io.grpc.StatusRuntimeException failed = Calls.failure(() -> node.admin()
                .withDeadlineAfter(1_500, TimeUnit.MILLISECONDS)
                .createStream(create("orders", StreamSettings.getDefaultInstance())));

        assertThat(detail(failed).getReason()).isEqualTo(ErrorReason.ERROR_REASON_NO_LEADER);
        assertThat(failed.getStatus().getDescription()).contains("was created").contains("no leader yet");
        cluster.log("orders").lead("s1");
        assertThat(node.admin()
                        .createStream(create("orders", StreamSettings.getDefaultInstance()))
                        .getCreated())
                .isFalse();
    }

    @Test
    void aStreamIsDescribedWithItsBoundsByItsLeader() {
        cluster.create("orders").lead("s3");
        cluster.time.wall(9_000);
        node.log().append(append("orders", "a", "b"));

        Stream stream = node.admin()
                .getStream(GetStreamRequest.newBuilder().setName("orders").build())
                .getStream();

        assertThat(stream.getEndOffset()).isEqualTo(2);
        assertThat(stream.getStoredBytes()).isPositive();
        assertThat(stream.getLastTimestampMs()).isEqualTo(9_000);
        assertThat(stream.getLeaderId()).isEqualTo("s3");
        assertThat(stream.getSealed()).isFalse();
    }

    @Test
    void aStreamWithoutLeaderIsDescribedAsTheServerKnowsIt() {
        FakeLog log = cluster.create("orders");
        node.log().append(append("orders", "a"));
        log.noLeader();

        Stream stream = node.admin()
                .getStream(GetStreamRequest.newBuilder().setName("orders").build())
                .getStream();

        assertThat(stream.getEndOffset()).isEqualTo(1);
        assertThat(stream.getLeaderId()).isEmpty();
    }

    @Test
    void unknownStreamsAreNotFound() {
        for (Runnable call : List.<Runnable>of(
                () -> node.admin()
                        .getStream(GetStreamRequest.newBuilder().setName("x").build()),
                () -> node.admin()
                        .updateStream(
                                UpdateStreamRequest.newBuilder().setName("x").build()),
                () -> node.admin()
                        .deleteStream(
                                DeleteStreamRequest.newBuilder().setName("x").build()),
                () -> node.admin()
                        .sealStream(SealStreamRequest.newBuilder().setName("x").build()))) {
            assertThat(detail(call::run).getReason()).isEqualTo(ErrorReason.ERROR_REASON_STREAM_NOT_FOUND);
        }
    }

    @Test
    void listsPageByPageInOrderOfNames() {
        List<String> names =
                IntStream.range(0, 7).mapToObj(i -> "tenant-a/s" + i).toList();
        names.forEach(cluster::create);
        cluster.create("tenant-b/other");

        List<String> listed = new ArrayList<>();
        String token = "";
        int pages = 0;
        do {
            ListStreamsResponse page = node.admin()
                    .listStreams(ListStreamsRequest.newBuilder()
                            .setPrefix("tenant-a/")
                            .setPageSize(3)
                            .setPageToken(token)
                            .build());
            page.getStreamsList().forEach(stream -> listed.add(stream.getName()));
            assertThat(page.getStreamsList())
                    .allSatisfy(stream -> assertThat(stream.getEndOffset()).isEqualTo(-1));
            token = page.getNextPageToken();
            pages++;
        } while (!token.isEmpty());

        assertThat(listed).containsExactlyElementsOf(names);
        assertThat(pages).isEqualTo(3);
        assertThat(node.admin()
                        .listStreams(ListStreamsRequest.getDefaultInstance())
                        .getStreamsCount())
                .isEqualTo(8);
    }

    @Test
    void listsFromItsOwnCopyWhereTheCatalogHasNoLeader() {
        cluster.create("orders");
        cluster.catalogLog.noLeader();

        assertThat(node.admin()
                        .listStreams(ListStreamsRequest.getDefaultInstance())
                        .getStreamsCount())
                .isEqualTo(1);
    }

    @Test
    void anUpdateChangesWhatItNamesAndNothingElse() {
        node.admin()
                .createStream(create(
                        "orders",
                        StreamSettings.newBuilder()
                                .putLabels("a", "1")
                                .putLabels("b", "2")
                                .build()));

        Stream updated = node.admin()
                .updateStream(UpdateStreamRequest.newBuilder()
                        .setName("orders")
                        .setMaxRecordBytes(10)
                        .putSetLabels("c", "3")
                        .addRemoveLabels("a")
                        .setExpectedRevision(0)
                        .build())
                .getStream();

        assertThat(updated.getSettings().getMaxRecordBytes()).isEqualTo(10);
        assertThat(updated.getSettings().getLabelsMap()).containsOnlyKeys("b", "c");
        assertThat(updated.getRevision()).isEqualTo(1);
        assertThat(detail(() -> node.log().append(append("orders", "x".repeat(11))))
                        .getReason())
                .isEqualTo(ErrorReason.ERROR_REASON_TOO_LARGE);
        assertThat(detail(() -> node.admin()
                                .updateStream(UpdateStreamRequest.newBuilder()
                                        .setName("orders")
                                        .setExpectedRevision(0)
                                        .build()))
                        .getReason())
                .isEqualTo(ErrorReason.ERROR_REASON_REVISION_CONFLICT);
    }

    @Test
    void anUpdateThatTheCatalogRefusesIsTheCallersMistake() {
        StreamSettings.Builder settings = StreamSettings.newBuilder();
        IntStream.range(0, 32).forEach(i -> settings.putLabels("label" + i, ""));
        node.admin().createStream(create("orders", settings.build()));

        assertThat(detail(() -> node.admin()
                                .updateStream(UpdateStreamRequest.newBuilder()
                                        .setName("orders")
                                        .putSetLabels("one more", "")
                                        .build()))
                        .getReason())
                .isEqualTo(ErrorReason.ERROR_REASON_INVALID_FIELD);
    }

    @Test
    void aDeletedStreamIsGoneAndItsNameFree() {
        String first = node.admin()
                .createStream(create("orders", StreamSettings.getDefaultInstance()))
                .getStream()
                .getStreamId();

        node.admin()
                .deleteStream(DeleteStreamRequest.newBuilder()
                        .setName("orders")
                        .setStreamId(first)
                        .build());

        assertThat(detail(() -> node.log().append(append("orders", "a"))).getReason())
                .isEqualTo(ErrorReason.ERROR_REASON_STREAM_NOT_FOUND);
        String second = node.admin()
                .createStream(create("orders", StreamSettings.getDefaultInstance()))
                .getStream()
                .getStreamId();
        assertThat(second).isNotEqualTo(first);
    }

    @Test
    void aSealedStreamTakesNoMoreAndTheCatalogKnows() {
        // The stream's leader is not the catalog's: both must be reached.
        cluster.create("orders").lead("s3");
        node.log().append(append("orders", "a", "b"));

        assertThat(node.admin()
                        .sealStream(
                                SealStreamRequest.newBuilder().setName("orders").build())
                        .getEndOffset())
                .isEqualTo(2);
        assertThat(node.admin()
                        .sealStream(
                                SealStreamRequest.newBuilder().setName("orders").build())
                        .getEndOffset())
                .isEqualTo(2);

        assertThat(node.catalog.stream("orders").orElseThrow().sealed()).isTrue();
        assertThat(detail(() -> node.log().append(append("orders", "c"))).getReason())
                .isEqualTo(ErrorReason.ERROR_REASON_SEALED);
    }

    @Test
    void theClusterIsDescribedWithWhoAnswersAndWhoLeads() {
        cluster.create("a").lead("s3");
        cluster.create("b");
        cluster.create("c", 1);
        cluster.node(3).close();

        DescribeClusterResponse described = node.admin().describeCluster(DescribeClusterRequest.getDefaultInstance());

        assertThat(described.getClusterName()).isEqualTo("test");
        assertThat(described.getServerId()).isEqualTo("s2");
        assertThat(described.getCatalogLeaderId()).isEqualTo("s1");
        assertThat(described.getStreamCount()).isEqualTo(3);
        assertThat(described.getServersList()).extracting(Server::getServerId).containsExactly("s1", "s2", "s3");
        assertThat(described.getServersList()).extracting(Server::getReachable).containsExactly(true, true, false);
        assertThat(described.getServersList()).extracting(Server::getVersion).containsExactly("1.2.3", "1.2.3", "");
        assertThat(described.getServersList())
                .extracting(Server::getReplicaCount)
                .containsExactly(3, 2, 2);
        assertThat(described.getServersList())
                .extracting(Server::getLeaderCount)
                .containsExactly(2, 0, 0);
        assertThat(described.getServers(0).getClientEndpoint())
                .isEqualTo("127.0.0.1:" + cluster.node(1).server.port());
    }

    private static CreateStreamRequest create(String name, StreamSettings settings) {
        return CreateStreamRequest.newBuilder()
                .setName(name)
                .setSettings(settings)
                .build();
    }
}
