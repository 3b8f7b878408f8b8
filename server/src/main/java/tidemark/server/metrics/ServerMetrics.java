package tidemark.server.metrics;

import static tidemark.server.metrics.PrometheusText.label;

import com.codahale.metrics.Counter;
import com.codahale.metrics.Gauge;
import com.codahale.metrics.Metric;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.jvm.BufferPoolMetricSet;
import com.codahale.metrics.jvm.FileDescriptorRatioGauge;
import com.codahale.metrics.jvm.GarbageCollectorMetricSet;
import com.codahale.metrics.jvm.MemoryUsageGaugeSet;
import com.codahale.metrics.jvm.ThreadStatesGaugeSet;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleSupplier;
import tidemark.server.batch.BatchMetrics;
import tidemark.server.grpc.RpcMetrics;
import tidemark.server.raft.RaftMeter;

/**
 * All that the server counts. The listeners that it gives out may be called from any thread and return at once.
 *
 * <p>The number of series is bounded: labels come from fixed sets (methods, status codes, reasons), never from names of streams, and
 * once {@link #SERIES_MAX} are there, further ones are counted together under {@code other}.
 */
public final class ServerMetrics {
    /** Most series with labels. */
    static final int SERIES_MAX = 1_000;

    private static final String OTHER = "other";

    private final MetricRegistry registry = new MetricRegistry();
    private final Map<String, String> help = new ConcurrentHashMap<>();

    /** Empty but for what the Java machine says of itself. */
    public ServerMetrics() {
        registry.register("jvm.memory", new MemoryUsageGaugeSet());
        // The pools of the memory are many, and say little more than their sum.
        registry.removeMatching((name, metric) -> name.startsWith("jvm.memory.pools."));
        registry.register("jvm.gc", new GarbageCollectorMetricSet());
        registry.register("jvm.threads", new ThreadStatesGaugeSet());
        registry.register("jvm.buffers", new BufferPoolMetricSet(ManagementFactory.getPlatformMBeanServer()));
        registry.register("jvm.file_descriptors_used_ratio", new FileDescriptorRatioGauge());
    }

    /** Shows a value that is asked for each time. */
    public void gauge(String name, String description, DoubleSupplier value) {
        help.put(name, description);
        registry.registerGauge(name, (Gauge<Double>) value::getAsDouble);
    }

    /** Everything, in the text format of Prometheus. */
    public String text() {
        return PrometheusText.of(new TreeMap<>(registry.getMetrics()), help);
    }

    public RpcMetrics rpc() {
        return new RpcSeries(this);
    }

    public BatchMetrics batch() {
        return new BatchSeries(this);
    }

    public RaftMeter raft() {
        return new RaftSeries(this);
    }

    Counter counter(String family, String description) {
        help.put(family, description);
        return registry.counter(family);
    }

    /** @param labels pairs of name and value, in a fixed order */
    Counter counter(String family, String description, String... labels) {
        help.put(family, description);
        return registry.counter(family + bounded(family, labels));
    }

    Summary summary(String family, String description, Summary summary) {
        help.put(family, description);
        return summary(family, summary);
    }

    Summary summary(String family, String description, Summary summary, String... labels) {
        help.put(family, description);
        return summary(family + bounded(family, labels), summary);
    }

    private Summary summary(String name, Summary created) {
        synchronized (registry) {
            Metric present = registry.getMetrics().get(name);
            return present instanceof Summary known ? known : registry.register(name, created);
        }
    }

    private String bounded(String family, String... labels) {
        String wanted = shown(labels);
        if (registry.getMetrics().size() < SERIES_MAX || registry.getMetrics().containsKey(family + wanted)) {
            return wanted;
        }
        String[] others = labels.clone();
        for (int i = 1; i < others.length; i += 2) {
            others[i] = OTHER;
        }
        return shown(others);
    }

    private static String shown(String... labels) {
        StringBuilder out = new StringBuilder("{");
        for (int i = 0; i + 1 < labels.length; i += 2) {
            out.append(i == 0 ? "" : ",").append(label(labels[i], labels[i + 1]));
        }
        return out.append('}').toString();
    }
}
