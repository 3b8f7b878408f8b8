package tidemark.client;

/** A read that is delivered to a {@link ReadListener}. */
public interface Subscription extends AutoCloseable {
    /** How far it has come. */
    ReadProgress progress();

    /** Stops it; does not wait. A call to the listener that is under way ends by itself, and no other follows. */
    @Override
    void close();
}
