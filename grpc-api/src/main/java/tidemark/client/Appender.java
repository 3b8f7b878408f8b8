package tidemark.client;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Appends to one stream, many records in flight, joined into batches. Thread-safe; records of several threads are written in
 * the order in which their {@code add} calls took the appender's lock.
 *
 * <p><b>Joining.</b> A batch leaves at once while fewer than two are in flight; otherwise when it is full or an earlier one is
 * acknowledged. No timer is involved. The records of one {@code add} are never split: they are written all or none.
 *
 * <p><b>Failures.</b> When the leader moves or a connection is lost, everything that is not acknowledged is sent again, in
 * order. The stream recognises what it has already (see {@link AppenderOptions#idempotent}), so each record is written once.
 *
 * <p>When nothing is acknowledged for the client's request timeout, or the stream refuses a record, the appender is
 * <em>broken</em>: it sends nothing more, so there is never a hole and never a swap. Then each record's future says which it
 * is: the acknowledged ones have their result, {@link TidemarkException.Indeterminate} may or may not be written, and
 * {@link TidemarkException.NotSent} (or the refusal itself) is definitely not written. {@link #report} has the counts. To go on,
 * look at the stream's end or its records, and open a new appender.
 *
 * <p>An appender that is not idempotent is broken at once when it is unknown whether a batch is written. It goes on after
 * failures that say "not written".
 */
public interface Appender extends AutoCloseable {
    /** Adds one record, see {@link #add(List)}. */
    @CanIgnoreReturnValue
    default CompletableFuture<AppendResult> add(LogRecord record) {
        return add(List.of(record));
    }

    /**
     * Adds records that are written together or not at all. Blocks while the buffer is full. The future may be ignored:
     * {@link #flush} and {@link #close} throw what went wrong.
     *
     * @return completes when a majority has stored them, with the offsets of exactly these records; else with a
     *     {@link TidemarkException}. Stages that run on it must not block
     * @throws TidemarkException.InvalidRequest if there is no record, or a header's name is empty; nothing is added
     * @throws TidemarkException.TooLarge if a limit of the protocol is exceeded; nothing is added
     * @throws TidemarkException.NotSent if the appender is broken; nothing is added
     * @throws TidemarkException.Closed if it was closed, or the thread was interrupted while waiting; nothing is added
     */
    @CanIgnoreReturnValue
    CompletableFuture<AppendResult> add(List<LogRecord> records);

    /** Like {@link #add(List)}, but answers empty instead of blocking while the buffer is full. */
    Optional<CompletableFuture<AppendResult>> tryAdd(List<LogRecord> records);

    /**
     * Completes when all records added so far are acknowledged; with the appender's failure if one of them is not.
     */
    CompletableFuture<Void> flushAsync();

    /** Waits until all records added so far are acknowledged; throws the appender's failure if one of them is not. */
    default void flush() {
        Futures.join(flushAsync());
    }

    /** How far it has come. After a failure of a future, the counts are final. */
    AppenderReport report();

    /** Takes no more records, waits until those taken are acknowledged, throws the appender's failure if one is not. */
    @Override
    void close();

    /** Stops at once: what is in flight is unknown, what waits is not written. Does nothing after {@link #close}. */
    void abort();
}
