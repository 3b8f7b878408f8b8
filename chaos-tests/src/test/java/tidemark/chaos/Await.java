package tidemark.chaos;

import java.time.Duration;
import java.util.concurrent.Callable;

/** Waits for real processes: tries again until it works, for a bounded time that does not depend on a fast machine. */
final class Await {
    private static final Duration BOUND = Duration.ofSeconds(90);
    private static final Duration PAUSE = Duration.ofMillis(100);

    private Await() {}

    /** Returns once the condition is true; one that throws is not true yet. */
    static void until(String what, Callable<Boolean> condition) throws InterruptedException {
        long deadline = System.nanoTime() + BOUND.toNanos();
        Exception last = null;
        while (true) {
            try {
                if (condition.call()) {
                    return;
                }
                last = null;
            } catch (InterruptedException e) {
                throw e;
            } catch (Exception notYet) {
                last = notYet;
            }
            if (System.nanoTime() > deadline) {
                throw new AssertionError("not within " + BOUND + ": " + what, last);
            }
            Thread.sleep(PAUSE.toMillis());
        }
    }
}
