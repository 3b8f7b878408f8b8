package tidemark.server.grpc;

/** The same promises over the real machine of the group. */
class LogServiceOnEngineTest extends LogServiceTest {
    @Override
    FakeCluster cluster() {
        return FakeCluster.onEngine(1);
    }
}
