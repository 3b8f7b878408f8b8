package tidemark.server.metrics;

import com.codahale.metrics.Histogram;
import com.codahale.metrics.LockFreeExponentiallyDecayingReservoir;
import com.codahale.metrics.Metric;
import com.codahale.metrics.Snapshot;
import java.util.concurrent.atomic.LongAdder;

/**
 * Count, sum and recent quantiles of a value. Safe for use by many threads.
 */
final class Summary implements Metric {
    /** What a value is multiplied with to be shown: nanoseconds are shown as seconds. */
    private final double scale;

    private final Histogram histogram =
            new Histogram(LockFreeExponentiallyDecayingReservoir.builder().build());
    private final LongAdder sum = new LongAdder();

    Summary(double scale) {
        this.scale = scale;
    }

    /** Of times given in nanoseconds and shown in seconds. */
    static Summary ofNanos() {
        return new Summary(1e-9);
    }

    void add(long value) {
        histogram.update(value);
        sum.add(value);
    }

    long count() {
        return histogram.getCount();
    }

    double sum() {
        return sum.sum() * scale;
    }

    Snapshot snapshot() {
        return histogram.getSnapshot();
    }

    double quantile(Snapshot snapshot, double quantile) {
        return snapshot.getValue(quantile) * scale;
    }
}
