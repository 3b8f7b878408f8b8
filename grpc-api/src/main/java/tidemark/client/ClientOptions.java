package tidemark.client;

import java.time.Duration;

/**
 * How a client behaves. Immutable; start from {@link #defaults()} and change what matters.
 *
 * @param requestTimeout how long a call may take with all its retries, and how long an appender or a reader goes on trying
 *     without any progress; more than 0. Default 30 s: several elections fit in
 * @param attemptTimeout how long one attempt of a call that can be repeated safely waits for an answer before another
 *     server is asked; more than 0. Default 10 s. Shorter leaves a hung server sooner, but gives up slow answers
 * @param connectTimeout how long to wait for a connection before another server is tried; more than 0. Default 3 s
 * @param backoffFirst pause before the first repetition; doubles each time, each pause is drawn at random from half of it to
 *     all of it. Default 25 ms
 * @param backoffMax longest pause between repetitions. Default 1 s
 */
public record ClientOptions(
        Duration requestTimeout,
        Duration attemptTimeout,
        Duration connectTimeout,
        Duration backoffFirst,
        Duration backoffMax) {
    private static final ClientOptions DEFAULTS = new ClientOptions(
            Duration.ofSeconds(30),
            Duration.ofSeconds(10),
            Duration.ofSeconds(3),
            Duration.ofMillis(25),
            Duration.ofSeconds(1));

    /** Checks that all are more than 0 and the first pause is not above the longest. */
    public ClientOptions {
        requirePositive("requestTimeout", requestTimeout);
        requirePositive("attemptTimeout", attemptTimeout);
        requirePositive("connectTimeout", connectTimeout);
        requirePositive("backoffFirst", backoffFirst);
        requirePositive("backoffMax", backoffMax);
        if (backoffFirst.compareTo(backoffMax) > 0) {
            throw new IllegalArgumentException(
                    "backoffFirst is above backoffMax: " + backoffFirst + " > " + backoffMax);
        }
    }

    /** The defaults named above. */
    public static ClientOptions defaults() {
        return DEFAULTS;
    }

    /** These options with another request timeout. */
    public ClientOptions withRequestTimeout(Duration timeout) {
        return new ClientOptions(timeout, attemptTimeout, connectTimeout, backoffFirst, backoffMax);
    }

    /** These options with another attempt timeout. */
    public ClientOptions withAttemptTimeout(Duration timeout) {
        return new ClientOptions(requestTimeout, timeout, connectTimeout, backoffFirst, backoffMax);
    }

    /** These options with another connect timeout. */
    public ClientOptions withConnectTimeout(Duration timeout) {
        return new ClientOptions(requestTimeout, attemptTimeout, timeout, backoffFirst, backoffMax);
    }

    /** These options with other pauses between repetitions. */
    public ClientOptions withBackoff(Duration first, Duration max) {
        return new ClientOptions(requestTimeout, attemptTimeout, connectTimeout, first, max);
    }

    private static void requirePositive(String name, Duration value) {
        if (value.isZero() || value.isNegative() || value.compareTo(Duration.ofDays(365)) > 0) {
            throw new IllegalArgumentException(name + " must be more than 0 and at most 365 days, is " + value);
        }
    }
}
