package tidemark.chaos;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import tidemark.client.AppendResult;
import tidemark.client.Appender;
import tidemark.client.LogRecord;
import tidemark.client.TidemarkClient;
import tidemark.client.TidemarkException;

/**
 * Appends numbered records to a stream without pause, many in flight, and notes each acknowledgement and the longest time without
 * one. Record {@code n} is the text {@code n} and filler. If its appender breaks, it goes on with the next number on another one.
 */
final class ContinuousWriter {
    private static final int IN_FLIGHT_MAX = 256;
    private static final String FILLER = "-".repeat(100);

    private final TidemarkClient client;
    private final String stream;
    private final Thread thread = new Thread(this::run, "continuous-writer");
    private final Semaphore inFlight = new Semaphore(IN_FLIGHT_MAX);
    private final Map<Long, Long> acknowledged = new ConcurrentSkipListMap<>();
    private final AtomicLong next = new AtomicLong();
    private final AtomicLong brokenAppenders = new AtomicLong();
    private volatile boolean stopping;
    private volatile @Nullable Throwable failure;

    private long lastAckNanos = System.nanoTime();
    private long longestGapNanos;

    ContinuousWriter(TidemarkClient client, String stream) {
        this.client = client;
        this.stream = stream;
        thread.start();
    }

    /** Number of records acknowledged so far; throws if this writer cannot go on. */
    long acknowledgedCount() {
        throwIfFailed();
        return acknowledged.size();
    }

    /** Offset of each acknowledged record, by its number. */
    Map<Long, Long> acknowledged() {
        return acknowledged;
    }

    /** How often an appender gave up because it could not tell what was written. */
    long brokenAppenders() {
        return brokenAppenders.get();
    }

    /** The longest time without an acknowledgement since the last call. */
    synchronized Duration takeLongestGap() {
        Duration gap = Duration.ofNanos(Math.max(longestGapNanos, System.nanoTime() - lastAckNanos));
        longestGapNanos = 0;
        lastAckNanos = System.nanoTime();
        return gap;
    }

    /** The number of a record written by this class. */
    static long number(byte[] payload) {
        String text = new String(payload, StandardCharsets.UTF_8);
        return Long.parseLong(text.substring(0, text.indexOf(' ')));
    }

    /** Stops appending and waits for the last acknowledgements. */
    void finish() throws InterruptedException {
        stopping = true;
        thread.join(TimeUnit.MINUTES.toMillis(2));
        if (thread.isAlive()) {
            throw new AssertionError("the writer does not end");
        }
        throwIfFailed();
    }

    private void throwIfFailed() {
        Throwable failed = failure;
        if (failed != null) {
            throw new AssertionError("the writer failed", failed);
        }
    }

    private void run() {
        try {
            while (!stopping) {
                appendUntilBroken();
            }
        } catch (Throwable e) {
            failure = e;
        }
    }

    private void appendUntilBroken() throws InterruptedException {
        Appender appender = client.openAppender(stream);
        while (!stopping && appender.report().failure().isEmpty()) {
            inFlight.acquire();
            add(appender, next.getAndIncrement());
        }
        try {
            appender.close();
        } catch (TidemarkException broken) {
            brokenAppenders.incrementAndGet();
            System.out.println("an appender gave up: " + broken.getMessage());
        }
    }

    private void add(Appender appender, long number) {
        try {
            CompletableFuture<AppendResult> answer = appender.add(LogRecord.of(number + " " + FILLER));
            var unused = answer.whenComplete((result, error) -> {
                inFlight.release();
                if (error == null) {
                    onAck(number, result);
                }
            });
        } catch (TidemarkException.NotSent brokenSince) {
            inFlight.release();
        }
    }

    private synchronized void onAck(long number, AppendResult result) {
        long now = System.nanoTime();
        longestGapNanos = Math.max(longestGapNanos, now - lastAckNanos);
        lastAckNanos = now;
        acknowledged.put(number, result.baseOffset());
    }
}
