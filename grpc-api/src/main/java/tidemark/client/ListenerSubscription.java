package tidemark.client;

import org.jspecify.annotations.Nullable;

/**
 * A read that is pushed to a listener, message by message: the next is asked for when the listener returns, so a slow listener
 * holds the server back.
 */
final class ListenerSubscription implements Subscription, ResumingRead.Sink {
    private final ReadListener listener;
    private final ResumingRead read;

    private final Object lock = new Object();
    private ReadProgress progress = new ReadProgress(-1, -1, -1, false, false);
    private boolean closed;

    /** Whether the listener is being called, and what to tell it after that. */
    private boolean busy;

    private @Nullable Runnable lastWord;

    private ListenerSubscription(ClientCore core, String stream, ReadOptions options, ReadListener listener) {
        this.listener = listener;
        this.read = new ResumingRead(core, stream, options, this);
    }

    static ListenerSubscription open(ClientCore core, String stream, ReadOptions options, ReadListener listener) {
        ListenerSubscription subscription = new ListenerSubscription(core, stream, options, listener);
        subscription.read.request();
        subscription.read.start();
        return subscription;
    }

    @Override
    public ReadProgress progress() {
        synchronized (lock) {
            return progress;
        }
    }

    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
        }
        read.stop("the subscription is closed");
    }

    @Override
    public void chunk(ReadCursor.Chunk chunk) {
        boolean newlyCaughtUp;
        synchronized (lock) {
            if (closed) {
                return;
            }
            busy = true;
            newlyCaughtUp = chunk.progress().caughtUp()
                    && (!progress.caughtUp() || !chunk.records().isEmpty());
        }
        boolean returned = false;
        try {
            if (!chunk.records().isEmpty()) {
                listener.onRecords(chunk.records(), chunk.progress());
            }
            if (newlyCaughtUp) {
                listener.onCaughtUp(chunk.progress());
            }
            returned = true;
        } finally {
            Runnable last;
            synchronized (lock) {
                busy = false;
                progress = chunk.progress();
                last = lastWord;
                lastWord = null;
            }
            if (!returned) {
                close(); // what the listener threw goes on to the thread's handler
            } else if (last != null) {
                last.run();
            }
        }
        read.request();
    }

    @Override
    public void end(ReadProgress last) {
        say(() -> listener.onEnd(last));
    }

    @Override
    public void failed(TidemarkException failure) {
        say(() -> listener.onFailure(failure));
    }

    /** The last word comes from another thread when the client closes: then it waits for the listener. */
    private void say(Runnable word) {
        synchronized (lock) {
            if (closed) {
                return;
            }
            closed = true;
            if (busy) {
                lastWord = word;
                return;
            }
        }
        word.run();
    }
}
