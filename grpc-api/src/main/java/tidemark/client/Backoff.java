package tidemark.client;

/** Pauses that double, each drawn at random from half of its length to all of it. Not thread-safe. */
final class Backoff {
    private final ClientOptions options;
    private final ClientWorld world;
    private int failures;

    Backoff(ClientOptions options, ClientWorld world) {
        this.options = options;
        this.world = world;
    }

    /** The next pause in nanoseconds, at least what the server asks for. */
    long nextNanos(long retryAfterNanos) {
        long first = options.backoffFirst().toNanos();
        long max = options.backoffMax().toNanos();
        long full = failures >= 40 || first > (max >> failures) ? max : first << failures;
        failures++;
        long half = full / 2;
        return Math.max(retryAfterNanos, half + (long) ((full - half) * world.random()));
    }

    /** Something worked: the next pause is the first again. */
    void reset() {
        failures = 0;
    }
}
