package tidemark.chaos.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One server as a process of its own: started, killed, paused, stopped. Its output goes to a log file beside its data. Used by one test
 * thread at a time; ends its process, and no other.
 */
public final class ServerProcess implements AutoCloseable {
    private static final Duration STOP_BOUND = Duration.ofSeconds(30);
    /** Small, since several servers share a test machine. */
    private static final String JVM_OPTIONS = "-Xms64m -Xmx384m";

    private final Distribution distribution;
    private final List<String> arguments;
    private final Path log;
    private @Nullable Process process;

    /**
     * @param arguments of {@code tidemark server}
     * @param log where its output is appended
     */
    public ServerProcess(Distribution distribution, List<String> arguments, Path log) {
        this.distribution = distribution;
        this.arguments = List.copyOf(arguments);
        this.log = log;
    }

    /** Starts the process; returns at once. */
    public void start() {
        if (isAlive()) {
            throw new IllegalStateException("runs already");
        }
        List<String> command = new ArrayList<>(distribution.command("server"));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().put("TIDEMARK_SERVER_OPTS", JVM_OPTIONS);
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public boolean isAlive() {
        Process p = process;
        return p != null && p.isAlive();
    }

    /** SIGKILL: as a crash of the process. Returns when it is gone. */
    public void kill() throws InterruptedException {
        running().destroyForcibly();
        awaitExit();
    }

    /** SIGTERM, and waits for the end. Returns the exit code. */
    public int stop() throws InterruptedException {
        running().destroy();
        return awaitExit();
    }

    /** SIGSTOP: as a long pause. */
    public void pause() throws InterruptedException {
        signal("STOP");
    }

    /** Ends a {@link #pause}. */
    public void resume() throws InterruptedException {
        signal("CONT");
    }

    /** Waits for the process to end by itself or after a signal. Returns the exit code. */
    public int awaitExit() throws InterruptedException {
        Process p = running();
        if (!p.waitFor(STOP_BOUND.toSeconds(), TimeUnit.SECONDS)) {
            throw new IllegalStateException("still running after " + STOP_BOUND + "; see " + log);
        }
        return p.exitValue();
    }

    /** All that it has printed so far, over all its starts. */
    public String output() {
        try {
            return Files.exists(log) ? Files.readString(log, StandardCharsets.UTF_8) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends the process, hard. */
    @Override
    public void close() {
        Process p = process;
        if (p != null) {
            p.destroyForcibly();
            p.onExit().join();
        }
    }

    private Process running() {
        Process p = process;
        if (p == null) {
            throw new IllegalStateException("not started");
        }
        return p;
    }

    private void signal(String name) throws InterruptedException {
        try {
            Process kill = new ProcessBuilder(
                            "kill", "-" + name, Long.toString(running().pid()))
                    .start();
            if (kill.waitFor() != 0) {
                throw new IllegalStateException("kill -" + name + " failed: the process is gone");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
