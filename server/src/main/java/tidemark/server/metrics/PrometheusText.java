package tidemark.server.metrics;

import com.codahale.metrics.Counter;
import com.codahale.metrics.Gauge;
import com.codahale.metrics.Metric;
import com.codahale.metrics.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Writes metrics in the text format of Prometheus, version 0.0.4. A metric's name in the registry is its family, with labels after it
 * as they are shown: {@code calls_total{status="OK"}}.
 */
final class PrometheusText {
    /** The media type of the format. */
    static final String MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private static final double[] QUANTILES = {0.5, 0.9, 0.99, 0.999};

    private PrometheusText() {}

    /** @param help one line for a family, where there is one */
    static String of(Map<String, Metric> metrics, Map<String, String> help) {
        // The format wants the series of a family together.
        Map<String, List<Series>> families = new TreeMap<>();
        metrics.forEach((name, metric) -> {
            int brace = name.indexOf('{');
            String family = brace < 0 ? name : name.substring(0, brace);
            String labels = brace < 0 ? "" : name.substring(brace + 1, name.length() - 1);
            families.computeIfAbsent(sanitized(family), created -> new ArrayList<>())
                    .add(new Series(labels, metric));
        });
        StringBuilder out = new StringBuilder(16_384);
        families.forEach((family, series) -> append(out, family, series, help.get(family)));
        return out.toString();
    }

    private record Series(String labels, Metric metric) {}

    private static void append(StringBuilder out, String family, List<Series> series, @Nullable String help) {
        @Nullable String type = type(series.get(0).metric);
        if (type == null) {
            return;
        }
        if (help != null) {
            out.append("# HELP ").append(family).append(' ').append(help).append('\n');
        }
        out.append("# TYPE ").append(family).append(' ').append(type).append('\n');
        for (Series each : series) {
            append(out, family, each);
        }
    }

    /** Null for what cannot be shown as a number. */
    private static @Nullable String type(Metric metric) {
        if (metric instanceof Counter) {
            return "counter";
        }
        if (metric instanceof Summary) {
            return "summary";
        }
        return metric instanceof Gauge<?> gauge && gauge.getValue() instanceof Number ? "gauge" : null;
    }

    private static void append(StringBuilder out, String family, Series series) {
        if (series.metric instanceof Counter counter) {
            line(out, family, series.labels, (double) counter.getCount());
        } else if (series.metric instanceof Summary summary) {
            Snapshot snapshot = summary.snapshot();
            for (double quantile : QUANTILES) {
                String label = "quantile=\"" + quantile + "\"";
                line(
                        out,
                        family,
                        series.labels.isEmpty() ? label : series.labels + "," + label,
                        summary.quantile(snapshot, quantile));
            }
            line(out, family + "_sum", series.labels, summary.sum());
            line(out, family + "_count", series.labels, (double) summary.count());
        } else if (series.metric instanceof Gauge<?> gauge && gauge.getValue() instanceof Number number) {
            line(out, family, series.labels, number.doubleValue());
        }
    }

    private static void line(StringBuilder out, String name, String labels, double value) {
        out.append(name);
        if (!labels.isEmpty()) {
            out.append('{').append(labels).append('}');
        }
        out.append(' ');
        if (Double.isNaN(value)) {
            out.append("NaN");
        } else if (value == Math.rint(value) && Math.abs(value) < 1e15) {
            out.append((long) value);
        } else {
            out.append(value);
        }
        out.append('\n');
    }

    /** A label as it stands in a metric's name. */
    static String label(String name, String value) {
        return name + "=\"" + value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"";
    }

    private static String sanitized(String family) {
        return family.replaceAll("[^A-Za-z0-9_:]", "_");
    }
}
