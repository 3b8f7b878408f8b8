package tidemark.server.metrics;

import com.codahale.metrics.Counter;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import tidemark.server.grpc.RpcMetrics;

/** What the client port does. */
final class RpcSeries implements RpcMetrics {
    private static final String CALLS = "tidemark_rpc_calls_total";
    private static final String SECONDS = "tidemark_rpc_seconds";
    private static final String FORWARDED = "tidemark_rpc_forwarded_total";

    private final ServerMetrics metrics;
    /** So that a call does not form the names of its series each time. */
    private final Map<Ended, Counter> ended = new ConcurrentHashMap<>();

    private final Map<String, Summary> seconds = new ConcurrentHashMap<>();
    private final Map<String, Counter> forwarded = new ConcurrentHashMap<>();
    private final AtomicLong open = new AtomicLong();
    private final Counter appendedRecords;
    private final Counter appendedBytes;
    private final Summary appendSeconds;
    private final Counter readRecords;
    private final Counter readBytes;

    private record Ended(String method, String status, String reason) {}

    RpcSeries(ServerMetrics metrics) {
        this.metrics = metrics;
        metrics.gauge("tidemark_rpc_open_calls", "Calls that are being served.", open::get);
        appendedRecords =
                metrics.counter("tidemark_appended_records_total", "Records appended through this server as leader.");
        appendedBytes = metrics.counter("tidemark_appended_bytes_total", "Encoded bytes of their batches.");
        appendSeconds =
                metrics.summary("tidemark_append_seconds", "From a batch's arrival to its outcome.", Summary.ofNanos());
        readRecords = metrics.counter("tidemark_read_records_total", "Records sent to readers.");
        readBytes = metrics.counter("tidemark_read_bytes_total", "Bytes of records sent to readers.");
    }

    @Override
    public void callStarted(String method) {
        open.incrementAndGet();
    }

    @Override
    public void callEnded(String method, String status, Optional<String> reason, long nanos) {
        open.decrementAndGet();
        cached(
                        ended,
                        new Ended(method, status, reason.orElse("")),
                        key -> metrics.counter(
                                CALLS,
                                "Calls that ended, by gRPC status and reason.",
                                "method",
                                key.method,
                                "status",
                                key.status,
                                "reason",
                                key.reason))
                .inc();
        cached(
                        seconds,
                        method,
                        key -> metrics.summary(SECONDS, "How long calls took.", Summary.ofNanos(), "method", key))
                .add(nanos);
    }

    @Override
    public void callForwarded(String method) {
        cached(forwarded, method, key -> metrics.counter(FORWARDED, "Calls handed to other servers.", "method", key))
                .inc();
    }

    @Override
    public void appended(int records, long bytes, long nanos) {
        appendedRecords.inc(records);
        appendedBytes.inc(bytes);
        appendSeconds.add(nanos);
    }

    @Override
    public void read(int records, long bytes) {
        readRecords.inc(records);
        readBytes.inc(bytes);
    }

    /** The cache is bounded as the series are: what comes after is looked up each time. */
    private static <K, V> V cached(Map<K, V> cache, K key, java.util.function.Function<K, V> made) {
        V present = cache.get(key);
        if (present != null) {
            return present;
        }
        return cache.size() < ServerMetrics.SERIES_MAX ? cache.computeIfAbsent(key, made) : made.apply(key);
    }
}
