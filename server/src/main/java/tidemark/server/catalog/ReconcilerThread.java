package tidemark.server.catalog;

import java.io.Closeable;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import tidemark.server.raft.HostedGroup.Registration;
import tidemark.server.raft.RaftHost;

/** The thread that runs a {@link Reconciler}'s turns: when something changed, and every few seconds in case something failed. */
public final class ReconcilerThread implements Closeable {
    private static final Duration TICK = Duration.ofSeconds(2);
    /** Groups that are started at the same time. */
    private static final int ADDERS = 2;

    private static final Duration STOP_PATIENCE = Duration.ofSeconds(5);

    private final Semaphore wakeups = new Semaphore(0);
    private final ExecutorService adders;
    private final ExecutorService remover;
    private final Reconciler reconciler;
    private final Registration catalogListener;
    private final Thread thread;
    private volatile boolean stopping;

    /**
     * Starts at once.
     *
     * @param threads makes the threads, which are named by the number of those before
     */
    public ReconcilerThread(
            String serverId,
            RaftHost raft,
            RaftCatalog catalog,
            StreamOpener opener,
            RemovalReports reports,
            ThreadFactory threads) {
        this.adders = Executors.newFixedThreadPool(ADDERS, threads);
        this.remover = Executors.newSingleThreadExecutor(threads);
        this.reconciler = new Reconciler(
                serverId, raft, catalog, opener, reports, new Reconciler.Workers(adders, remover), this::wake);
        this.catalogListener = catalog.group().listen(this::wake);
        this.thread = threads.newThread(this::run);
        thread.start();
    }

    /** Whether once since the start the catalog had a leader and every group that belongs here ran. */
    public boolean settled() {
        return reconciler.settled();
    }

    private void wake() {
        // One is enough: a turn looks at everything.
        if (wakeups.availablePermits() == 0) {
            wakeups.release();
        }
    }

    private void run() {
        while (!stopping) {
            reconciler.turn();
            try {
                if (wakeups.tryAcquire(TICK.toMillis(), TimeUnit.MILLISECONDS)) {
                    wakeups.drainPermits();
                }
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** Ends turns; what was begun of them may go on until the groups close. */
    @Override
    public void close() {
        stopping = true;
        catalogListener.close();
        thread.interrupt();
        try {
            thread.join(STOP_PATIENCE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        adders.shutdown();
        remover.shutdown();
    }
}
