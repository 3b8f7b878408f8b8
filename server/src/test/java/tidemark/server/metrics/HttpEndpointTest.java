package tidemark.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HttpEndpointTest {
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final ServerMetrics metrics = new ServerMetrics();
    private final HttpClient client = HttpClient.newHttpClient();
    private volatile HealthReport report = new HealthReport(true, List.of(), List.of());
    private HttpEndpoint endpoint;

    HttpEndpointTest() throws Exception {
        endpoint = new HttpEndpoint(ANY, metrics, () -> report, Thread::new);
    }

    @BeforeEach
    void count() {
        metrics.counter("things_total", "Things.").inc(3);
    }

    @AfterEach
    void close() {
        endpoint.close();
    }

    @Test
    void metricsAreShown() throws Exception {
        HttpResponse<String> response = get("/metrics");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type")).contains(PrometheusText.MEDIA_TYPE);
        assertThat(response.body())
                .contains("# HELP things_total Things.\n# TYPE things_total counter\nthings_total 3\n");
    }

    @Test
    void aHealthyServerIsHealthyAndSaysItsWarnings() throws Exception {
        report = new HealthReport(false, List.of(), List.of("in memory"));
        assertThat(get("/healthz").statusCode()).isEqualTo(200);
        assertThat(get("/healthz").body()).isEqualTo("ok\nwarning: in memory\n");
        assertThat(get("/readyz").statusCode()).isEqualTo(503);
    }

    @Test
    void aServerWithProblemsNamesThem() throws Exception {
        report = new HealthReport(false, List.of("disk", "group"), List.of());
        assertThat(get("/healthz").statusCode()).isEqualTo(503);
        assertThat(get("/healthz").body()).isEqualTo("disk\ngroup\n");
    }

    @Test
    void aReadyServerIsReady() throws Exception {
        assertThat(get("/readyz").statusCode()).isEqualTo(200);
    }

    @Test
    void otherPathsAndMethodsAreRefused() throws Exception {
        assertThat(get("/healthz/more").statusCode()).isEqualTo(404);
        assertThat(get("/nothing").statusCode()).isEqualTo(404);
        assertThat(get("/").statusCode()).isEqualTo(200);
        HttpRequest post = request("/metrics")
                .POST(HttpRequest.BodyPublishers.ofString("x"))
                .build();
        assertThat(client.send(post, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(405);
        HttpRequest head = request("/metrics")
                .method("HEAD", HttpRequest.BodyPublishers.noBody())
                .build();
        assertThat(client.send(head, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(200);
    }

    @Test
    void randomBytesDoNoHarm() throws Exception {
        byte[] noise = new byte[10_000];
        new Random(42).nextBytes(noise);
        for (int i = 0; i < 20; i++) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), endpoint.port())) {
                socket.getOutputStream().write(noise);
                socket.getOutputStream().write('\n');
            } catch (IOException closedByTheServer) {
                assertThat(closedByTheServer).hasMessageMatching("(?i).*(reset|broken pipe|closed|aborted).*");
            }
        }
        assertThat(get("/healthz").statusCode()).isEqualTo(200);
    }

    @Test
    void aPortInUseIsAnError() {
        InetSocketAddress taken = new InetSocketAddress(InetAddress.getLoopbackAddress(), endpoint.port());
        assertThatThrownBy(() -> new HttpEndpoint(taken, metrics, () -> report, Thread::new))
                .isInstanceOf(IOException.class);
    }

    private HttpResponse<String> get(String path) throws Exception {
        return client.send(request(path).GET().build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + endpoint.port() + path));
    }
}
