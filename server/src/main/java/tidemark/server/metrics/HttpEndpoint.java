package tidemark.server.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The HTTP port: {@code /metrics} for Prometheus, {@code /healthz} (200, or 503 with a line for each problem) and {@code /readyz} (200
 * when the server can do its work). Nothing that it gets has an effect. Two threads; what waits beyond {@value #WAITING_MAX} is
 * dropped.
 */
public final class HttpEndpoint implements Closeable {
    private static final int THREADS = 2;
    private static final int WAITING_MAX = 32;
    private static final int BACKLOG = 32;
    private static final String PLAIN = "text/plain; charset=utf-8";
    private static final Set<String> METHODS = Set.of("GET", "HEAD");

    static {
        // The JDK's server reads these once: a client that sends or takes its bytes too slowly must not hold a thread
        // for ever.
        System.setProperty("sun.net.httpserver.maxReqTime", "10");
        System.setProperty("sun.net.httpserver.maxRspTime", "30");
        System.setProperty("sun.net.httpserver.idleInterval", "30");
        System.setProperty("sun.net.httpserver.maxIdleConnections", "32");
    }

    private final HttpServer server;
    private final ExecutorService workers;

    /**
     * Binds and serves at once.
     *
     * @throws IOException if the address cannot be bound
     */
    public HttpEndpoint(
            InetSocketAddress address, ServerMetrics metrics, Supplier<HealthReport> health, ThreadFactory threads)
            throws IOException {
        server = HttpServer.create(address, BACKLOG);
        workers = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                0,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(WAITING_MAX),
                threads,
                // Rather answers a few less than fails the thread that accepts.
                new ThreadPoolExecutor.DiscardOldestPolicy());
        server.setExecutor(workers);
        server.createContext("/", page("/", () -> new Page(200, PLAIN, "/metrics\n/healthz\n/readyz\n")));
        server.createContext(
                "/metrics", page("/metrics", () -> new Page(200, PrometheusText.MEDIA_TYPE, metrics.text())));
        server.createContext("/healthz", page("/healthz", () -> healthPage(health.get())));
        server.createContext("/readyz", page("/readyz", () -> readyPage(health.get())));
        server.start();
    }

    /** The bound port. */
    public int port() {
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
        workers.shutdownNow();
    }

    private record Page(int status, String mediaType, String body) {}

    private static Page healthPage(HealthReport report) {
        return report.problems().isEmpty()
                ? new Page(200, PLAIN, "ok\n" + lines("warning: ", report.warnings()))
                : new Page(503, PLAIN, lines("", report.problems()) + lines("warning: ", report.warnings()));
    }

    private static Page readyPage(HealthReport report) {
        return report.ready() ? new Page(200, PLAIN, "ready\n") : new Page(503, PLAIN, "not ready\n");
    }

    private static String lines(String prefix, List<String> lines) {
        StringBuilder out = new StringBuilder();
        lines.forEach(line -> out.append(prefix).append(line).append('\n'));
        return out.toString();
    }

    private static HttpHandler page(String path, Supplier<Page> content) {
        return exchange -> {
            try (exchange) {
                if (!METHODS.contains(exchange.getRequestMethod())) {
                    exchange.getResponseHeaders().set("Allow", "GET, HEAD");
                    send(exchange, new Page(405, PLAIN, "only GET and HEAD\n"));
                } else if (!path.equals(exchange.getRequestURI().getPath())) {
                    send(exchange, new Page(404, PLAIN, "not found; there are /metrics, /healthz and /readyz\n"));
                } else {
                    send(exchange, content.get());
                }
            }
        };
    }

    private static void send(HttpExchange exchange, Page page) throws IOException {
        byte[] body = page.body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", page.mediaType);
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.sendResponseHeaders(page.status, -1);
            return;
        }
        exchange.sendResponseHeaders(page.status, body.length);
        exchange.getResponseBody().write(body);
    }
}
