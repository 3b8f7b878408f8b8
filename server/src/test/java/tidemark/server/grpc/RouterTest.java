package tidemark.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tidemark.server.grpc.Target.Place;
import tidemark.v1.ErrorReason;

/** Where calls go: servers s1 to s4; stream "orders" has replicas on s1 to s3, and s1 leads everything at first. */
class RouterTest {
    private static final Optional<String> NO_HINT = Optional.empty();

    private final FakeCluster cluster = new FakeCluster(4);
    private FakeLog log;

    @BeforeEach
    void createStream() {
        log = cluster.create("orders", 3);
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void theLeaderServesHere() {
        assertThat(decide(1, Place.STREAM_LEADER)).isInstanceOf(Router.Local.class);
        assertThat(decide(1, Place.CATALOG_LEADER)).isInstanceOf(Router.Local.class);
    }

    @Test
    void aReplicaKnowsTheLeader() {
        log.lead("s3");

        assertThat(remote(decide(1, Place.STREAM_LEADER))).isEqualTo("s3");
        assertThat(remote(decide(2, Place.STREAM_LEADER))).isEqualTo("s3");
        assertThat(remote(decide(2, Place.CATALOG_LEADER))).isEqualTo("s1");
    }

    @Test
    void aServerWithoutReplicaAsksOneReplicaAfterTheOther() {
        log.lead("s3");

        assertThat(remote(decide(4, Place.STREAM_LEADER))).isEqualTo("s1");
        assertThat(remote(decide(4, Place.STREAM_LEADER, Set.of("s1"), Optional.of("s3"))))
                .isEqualTo("s3");
        assertThat(remote(decide(4, Place.STREAM_LEADER, Set.of("s1"), NO_HINT)))
                .isEqualTo("s2");
        assertThat(decide(4, Place.STREAM_LEADER, Set.of("s1", "s2", "s3"), NO_HINT))
                .isInstanceOf(Router.Wait.class);
    }

    @Test
    void aServerWithoutReplicaRemembersWhoServed() {
        Router router = router(4);
        Target target = new Target(Place.STREAM_LEADER, "orders");

        router.served(target, "s3");

        assertThat(remote(router.decide(target, Set.of(), NO_HINT))).isEqualTo("s3");
        assertThat(remote(router.decide(target, Set.of("s3"), NO_HINT))).isEqualTo("s1");
    }

    @Test
    void aHintToThisServerOrToNobodyIsIgnored() {
        log.noLeader();

        assertThat(remote(decide(1, Place.STREAM_LEADER, Set.of(), Optional.of("s1"))))
                .isEqualTo("s2");
        assertThat(remote(decide(1, Place.STREAM_LEADER, Set.of(), Optional.of("unknown"))))
                .isEqualTo("s2");
    }

    @Test
    void aLeaderThatCouldNotServeAsksOthersBeforeItself() {
        assertThat(remote(decide(1, Place.STREAM_LEADER, Set.of("s1"), NO_HINT)))
                .isEqualTo("s2");
        assertThat(decide(1, Place.STREAM_LEADER, Set.of("s1", "s2", "s3"), NO_HINT))
                .isInstanceOf(Router.Wait.class);
    }

    @Test
    void anyReplicaServesHereElseWhereThereIsOne() {
        log.lead("s3");

        assertThat(decide(2, Place.STREAM_REPLICA)).isInstanceOf(Router.Local.class);
        assertThat(remote(decide(4, Place.STREAM_REPLICA))).isEqualTo("s1");
    }

    @Test
    void aNameThatIsUnknownIsForTheCatalogsLeaderToJudge() {
        cluster.node(2).catalog.lagBehind("orders");

        assertThat(remote(decide(2, Place.STREAM_LEADER))).isEqualTo("s1");
        assertThat(decide(2, Place.STREAM_LEADER, Set.of("s1"), NO_HINT)).isInstanceOf(Router.Wait.class);
        Router.Decision unknown = router(1).decide(new Target(Place.STREAM_LEADER, "nothing"), Set.of(), NO_HINT);
        assertThat(unknown).isInstanceOf(Router.Fail.class);
        assertThat(Calls.detail(((Router.Fail) unknown).error()).getReason())
                .isEqualTo(ErrorReason.ERROR_REASON_STREAM_NOT_FOUND);
    }

    @Test
    void withoutLeaderOfTheCatalogItsCallsWait() {
        cluster.catalogLog.noLeader();

        assertThat(decide(2, Place.CATALOG_LEADER)).isInstanceOf(Router.Wait.class);
    }

    @Test
    void whatIsAboutTheServerItselfStaysHere() {
        assertThat(router(2).decide(Target.HERE, Set.of(), NO_HINT)).isInstanceOf(Router.Local.class);
    }

    private Router router(int node) {
        return new Router(cluster.node(node).raft, cluster.node(node).catalog, cluster.node(node).id);
    }

    private Router.Decision decide(int node, Place place) {
        return decide(node, place, Set.of(), NO_HINT);
    }

    private Router.Decision decide(int node, Place place, Set<String> tried, Optional<String> hint) {
        String stream = place == Place.CATALOG_LEADER ? "" : "orders";
        return router(node).decide(new Target(place, stream), tried, hint);
    }

    private static String remote(Router.Decision decision) {
        assertThat(decision).isInstanceOf(Router.Remote.class);
        return ((Router.Remote) decision).server().id();
    }
}
