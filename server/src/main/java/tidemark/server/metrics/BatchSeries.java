package tidemark.server.metrics;

import com.codahale.metrics.Counter;
import tidemark.server.batch.BatchMetrics;

/** What the batchers do. */
final class BatchSeries implements BatchMetrics {
    private final Summary commands;
    private final Summary bytes;
    private final Summary seconds;
    private final Counter failed;

    BatchSeries(ServerMetrics metrics) {
        commands = metrics.summary("tidemark_entry_commands", "Commands of one entry.", new Summary(1));
        bytes = metrics.summary("tidemark_entry_bytes", "Bytes of one entry.", new Summary(1));
        seconds = metrics.summary(
                "tidemark_entry_seconds", "From an entry's proposal to its outcome.", Summary.ofNanos());
        failed = metrics.counter("tidemark_entries_failed_total", "Entries without an outcome.");
    }

    @Override
    public void entryProposed(int commandCount, int byteCount) {
        commands.add(commandCount);
        bytes.add(byteCount);
    }

    @Override
    public void entryCompleted(long nanos, boolean succeeded) {
        seconds.add(nanos);
        if (!succeeded) {
            failed.inc();
        }
    }
}
