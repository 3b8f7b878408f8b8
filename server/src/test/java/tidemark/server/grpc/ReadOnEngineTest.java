package tidemark.server.grpc;

/** The same promises over the real machine of the group. */
class ReadOnEngineTest extends ReadTest {
    @Override
    FakeCluster cluster() {
        return FakeCluster.onEngine(1);
    }
}
