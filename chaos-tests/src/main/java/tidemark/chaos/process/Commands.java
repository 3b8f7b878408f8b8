package tidemark.chaos.process;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs a command to its end, as a person or a script would. */
public final class Commands {
    private static final Duration BOUND = Duration.ofMinutes(3);

    private Commands() {}

    /** What a command did. */
    public static final class Result {
        private final int exit;
        private final byte[] out;
        private final String err;

        private Result(int exit, byte[] out, String err) {
            this.exit = exit;
            this.out = out;
            this.err = err;
        }

        /** Its exit code. */
        public int exit() {
            return exit;
        }

        /** Its standard output. */
        public byte[] out() {
            return out.clone();
        }

        /** Its standard output as text. */
        public String text() {
            return new String(out, StandardCharsets.UTF_8);
        }

        /** Its standard error. */
        public String err() {
            return err;
        }
    }

    /**
     * Runs a command with input and environment, and waits for its end.
     *
     * @param directory for its output files
     */
    public static Result run(Path directory, Map<String, String> environment, byte[] input, List<String> command)
            throws IOException, InterruptedException {
        Path out = Files.createTempFile(directory, "out", null);
        Path err = Files.createTempFile(directory, "err", null);
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        try (OutputStream stdin = process.getOutputStream()) {
            stdin.write(input);
        } catch (IOException closedEarly) {
            // The command may end without reading all of its input; its exit code tells whether that was right.
            process.onExit().join();
        }
        if (!process.waitFor(BOUND.toSeconds(), TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IllegalStateException("still running after " + BOUND + ": " + command);
        }
        return new Result(process.exitValue(), Files.readAllBytes(out), Files.readString(err));
    }
}
