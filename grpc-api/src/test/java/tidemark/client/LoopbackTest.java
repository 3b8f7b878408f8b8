package tidemark.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tidemark.client.FakeCluster.Fate;

/** The same over real connections: what a refused and a broken one look like is decided by the transport. */
@Timeout(60)
class LoopbackTest {
    private static final String STREAM = "orders";

    private final FakeCluster cluster = new FakeCluster("a");
    private final FakeServer server = cluster.server("a");

    @AfterEach
    void stop() {
        cluster.close();
    }

    private Endpoint listen() {
        server.kill();
        Endpoint endpoint = refusing();
        assertThat(server.startOn(NettyServerBuilder.forAddress(loopback(endpoint.port()))))
                .isEqualTo(endpoint.port());
        cluster.advertised.put("a", endpoint.toString());
        return endpoint;
    }

    private static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /**
     * A port nobody listens on, below those that the system gives to connections: a client that tries one of those again and
     * again is connected to itself at last, and the port is taken.
     */
    private static Endpoint refusing() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(15_000, 30_000);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return new Endpoint("127.0.0.1", socket.getLocalPort());
            } catch (IOException taken) {
                assertThat(taken).isInstanceOf(BindException.class); // and the next one is tried
            }
        }
    }

    @Test
    void refusedConnectionIsRetriedOnTheNextServer() {
        try (TidemarkClient client = TidemarkClient.connect(List.of(refusing(), listen()), ClientOptions.defaults())) {
            assertThat(client.append(STREAM, LogRecord.of("x")).baseOffset()).isZero();
            assertThat(client.append(STREAM, LogRecord.of("y")).baseOffset()).isEqualTo(1);
        }
        assertThat(cluster.payloads()).containsExactly("x", "y");
    }

    @Test
    void serverThatDiesAfterTheRequestLeavesTheAppendIndeterminate() throws Exception {
        cluster.plan(Fate.hang());
        try (TidemarkClient client = TidemarkClient.connect(List.of(listen()), ClientOptions.defaults())) {
            CompletableFuture<AppendResult> append = client.appendAsync(STREAM, LogRecord.of("x"));
            cluster.awaitCall("a append direct");
            server.kill();
            assertThatThrownBy(() -> Futures.join(append))
                    .isInstanceOfSatisfying(
                            TidemarkException.Indeterminate.class,
                            failure -> assertThat(failure.reason()).isEqualTo(Reason.UNREACHABLE));
        }
    }

    @Test
    void serverThatComesBackIsUsedAgain() throws Exception {
        Endpoint endpoint = refusing();
        try (TidemarkClient client = TidemarkClient.connect(List.of(endpoint), ClientOptions.defaults())) {
            CompletableFuture<AppendResult> append = client.appendAsync(STREAM, LogRecord.of("x"));
            server.kill();
            assertThat(server.startOn(NettyServerBuilder.forAddress(loopback(endpoint.port()))))
                    .isEqualTo(endpoint.port());
            assertThat(append.get().baseOffset()).isZero();
        }
    }

    @Test
    void appenderAndReaderGoOnWhenTheirServerRestarts() {
        Endpoint endpoint = listen();
        try (TidemarkClient client = TidemarkClient.connect(List.of(endpoint), ClientOptions.defaults());
                Appender appender = client.openAppender(STREAM);
                RecordReader reader = client.read(
                        STREAM,
                        ReadOptions.builder(LogPosition.start()).follow(true).build())) {
            for (int i = 0; i < 2_000; i++) {
                if (i == 1_000) {
                    server.kill();
                    assertThat(server.startOn(NettyServerBuilder.forAddress(loopback(endpoint.port()))))
                            .isEqualTo(endpoint.port());
                }
                appender.add(LogRecord.of(Integer.toString(i)));
            }
            appender.flush();
            cluster.wakeReaders();
            for (int i = 0; i < 2_000; i++) {
                StoredLogRecord record = reader.next();
                assertThat(record).isNotNull();
                assertThat(record)
                        .isEqualTo(new StoredLogRecord(
                                i, record == null ? 0 : record.timestampMs(), LogRecord.of(Integer.toString(i))));
            }
        }
    }

    @Test
    void largestRecordPasses() {
        try (TidemarkClient client = TidemarkClient.connect(List.of(listen()), ClientOptions.defaults());
                RecordReader reader = client.read(
                        STREAM,
                        ReadOptions.builder(LogPosition.start()).follow(true).build())) {
            LogRecord large = LogRecord.ofOwned(new byte[RecordLimits.RECORD_BYTES_MAX]);
            assertThat(client.append(STREAM, large).endOffset()).isEqualTo(1);
            cluster.wakeReaders();
            StoredLogRecord record = reader.next();
            assertThat(record == null ? null : record.record()).isEqualTo(large);
        }
    }
}
