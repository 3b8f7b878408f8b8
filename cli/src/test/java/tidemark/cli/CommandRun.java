package tidemark.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tidemark.cli.command.Surroundings;
import tidemark.client.TidemarkClient;

/** Runs the command in this process, with streams in memory. */
final class CommandRun {
    /** Now, for commands: an hour after the first record of {@link FakeServer}. */
    static final Instant NOW =
            Instant.ofEpochMilli(FakeServer.FIRST_TIMESTAMP_MS).plusSeconds(3600);

    private final Map<String, String> variables = new HashMap<>();
    private InputStream in = InputStream.nullInputStream();
    private final ByteArrayOutputStream outBytes = new ByteArrayOutputStream();
    private OutputStream out = outBytes;
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private Surroundings.Terminals terminals = Surroundings.Terminals.NONE;
    private final List<Runnable> interrupts = new ArrayList<>();
    private int exitCode = -1;

    CommandRun input(String text) {
        return input(text.getBytes(StandardCharsets.UTF_8));
    }

    CommandRun input(byte[] bytes) {
        return input(new ByteArrayInputStream(bytes));
    }

    CommandRun input(InputStream stream) {
        in = stream;
        return this;
    }

    CommandRun output(OutputStream stream) {
        out = stream;
        return this;
    }

    CommandRun terminals(boolean input, boolean output, boolean error) {
        terminals = new Surroundings.Terminals(input, output, error);
        return this;
    }

    CommandRun variable(String name, String value) {
        variables.put(name, value);
        return this;
    }

    /** Runs it against a server. */
    CommandRun run(FakeServer server, String... arguments) {
        variables.put("TIDEMARK_SERVERS", server.endpoint());
        return run(arguments);
    }

    CommandRun run(String... arguments) {
        Surroundings surroundings = new Surroundings(
                in,
                out,
                new PrintStream(err, true, StandardCharsets.UTF_8),
                terminals,
                variables,
                InstantSource.fixed(NOW),
                action -> {
                    interrupts.add(action);
                    return () -> interrupts.remove(action);
                },
                TidemarkClient::connect);
        exitCode = Main.run(surroundings, arguments);
        return this;
    }

    int exitCode() {
        return exitCode;
    }

    String out() {
        return outBytes.toString(StandardCharsets.UTF_8);
    }

    byte[] outBytes() {
        return outBytes.toByteArray();
    }

    String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    /** What to do on Ctrl-C at present. */
    List<Runnable> interrupts() {
        return interrupts;
    }

    @Override
    public String toString() {
        return "exit " + exitCode + "\nout: " + out() + "\nerr: " + err() + "\n" + Arrays.asList(terminals, variables);
    }
}
