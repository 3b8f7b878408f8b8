package tidemark.server;

import java.io.PrintStream;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tidemark.server.config.ConfigException;
import tidemark.server.config.ServerConfig;

/**
 * The process of {@code tidemark server}.
 *
 * <p>Exit codes: 0 after SIGTERM or SIGINT (once what is written has finished), 1 if it cannot start, 2 for wrong usage, 3 after a
 * failure that it cannot get over, 130 when a second signal cuts the end short. The process always ends by halting: no thread that
 * was left behind can keep it alive.
 */
public final class Main {
    static final int OK = 0;
    static final int CANNOT_START = 1;
    static final int USAGE = 2;
    static final int FAILED = 3;
    static final int CUT_SHORT = 130;

    private static final Logger LOG = LoggerFactory.getLogger(Main.class);

    private final PrintStream out;
    private final PrintStream err;
    private final Exit exit;
    private final CountDownLatch stopAsked = new CountDownLatch(1);
    private final AtomicInteger signals = new AtomicInteger();
    private boolean started;
    private String failedEarly = "";

    /** Ends the process. */
    interface Exit {
        void now(int code);
    }

    Main(PrintStream out, PrintStream err, Exit exit) {
        this.out = out;
        this.err = err;
        this.exit = exit;
    }

    /** Runs the server until it is told to stop. */
    public static void main(String[] arguments) {
        Main main = new Main(System.out, System.err, Runtime.getRuntime()::halt);
        int code = CANNOT_START;
        try {
            Thread.setDefaultUncaughtExceptionHandler(main::uncaught);
            JavaLogging.takeOver();
            main.handleSignals();
            code = main.run(arguments, System.getenv());
        } catch (Throwable failure) { // Whatever it is, the process must not live on without a server.
            System.err.println("tidemark server: " + failure);
            failure.printStackTrace();
        } finally {
            main.end(code);
        }
    }

    int run(String[] arguments, Map<String, String> environment) throws InterruptedException {
        ServerCommand.Request request;
        try {
            request = ServerCommand.parse(arguments, environment, Version.current());
        } catch (ConfigException e) {
            say(err, String.valueOf(e.getMessage()));
            return USAGE;
        }
        if (request instanceof ServerCommand.Print print) {
            out.print(print.text());
            return OK;
        }
        return serve(((ServerCommand.Run) request).config());
    }

    private int serve(ServerConfig config) throws InterruptedException {
        Logs.setLevel(config.logLevel());
        LOG.info(
                "starting server {} of cluster {}, version {}",
                config.cluster().serverId(),
                config.cluster().name(),
                Version.current());
        Server server = new Server(config, (group, problem, cause) -> failed(problem));
        try {
            server.start();
            startEnded();
        } catch (StartException e) {
            LOG.debug("cannot start", e);
            say(err, "cannot start: " + e.getMessage());
            return CANNOT_START;
        }
        out.println(server.readyLine());
        out.flush();
        stopAsked.await();
        LOG.info("stopping");
        server.stop(config.timing().drainTime());
        LOG.info("stopped");
        return OK;
    }

    private void handleSignals() {
        boolean term = Signals.handle("TERM", this::signalled);
        boolean interrupt = Signals.handle("INT", this::signalled);
        if (!term || !interrupt) {
            // Then the JVM ends by itself on a signal, with 143: at least let what is written finish.
            Runtime.getRuntime().addShutdownHook(new Thread(stopAsked::countDown, NamedThreads.PREFIX + "shutdown"));
        }
    }

    void signalled() {
        if (signals.incrementAndGet() == 1) {
            stopAsked.countDown();
        } else {
            say(err, "told to stop again: ending at once");
            end(CUT_SHORT);
        }
    }

    void uncaught(Thread thread, Throwable failure) {
        if (stopAsked.getCount() == 0 && !(failure instanceof Error)) {
            // Some of Ratis' threads find what they use closed already.
            LOG.debug("uncaught in thread {} while stopping", thread.getName(), failure);
            return;
        }
        LOG.error("uncaught in thread {}", thread.getName(), failure);
        // A thread of ours that is gone leaves the server half alive; an error of the machine (no memory) may have hit
        // anything.
        if (failure instanceof Error || thread.getName().startsWith(NamedThreads.PREFIX)) {
            fail("thread " + thread.getName() + " died: " + failure);
        }
    }

    /** A failure while the server starts is told, and ends it, by the start itself: once and in its words. */
    private synchronized void failed(String problem) {
        if (started) {
            fail(problem);
        } else if (failedEarly.isEmpty()) {
            failedEarly = problem;
        }
    }

    synchronized void startEnded() {
        started = true;
        if (!failedEarly.isEmpty()) {
            fail(failedEarly);
        }
    }

    /** Ends the process after something that only a new start can repair. Returns at once. */
    private void fail(String problem) {
        Thread end = new Thread(
                () -> {
                    say(err, "failed: " + oneLine(problem) + "; ending, so that a new start can repair it");
                    end(FAILED);
                },
                NamedThreads.PREFIX + "end");
        end.setDaemon(true);
        end.start();
    }

    private void end(int code) {
        out.flush();
        Logs.close();
        err.flush();
        exit.now(code);
    }

    private static void say(PrintStream stream, String text) {
        stream.println("tidemark server: " + oneLine(text));
        stream.flush();
    }

    private static String oneLine(String text) {
        return text.replaceAll("\\s*[\\r\\n]+\\s*", " | ");
    }
}
