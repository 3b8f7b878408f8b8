package tidemark.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the process says and how it ends, where it does not get as far as serving. */
@Timeout(60) // Where it serves although it should not.
class MainTest {
    @TempDir
    private Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Test
    void theSampleFileIsPrinted() throws Exception {
        assertThat(run("--print-config")).isEqualTo(Main.OK);
        assertThat(text(out)).startsWith("# Configuration of a Tidemark server").contains("#client-port = 7420");
        assertThat(text(err)).isEmpty();
    }

    @Test
    void helpNamesEverySetting() throws Exception {
        assertThat(run("--help")).isEqualTo(Main.OK);
        for (var setting : tidemark.server.config.Setting.values()) {
            assertThat(text(out)).contains(setting.flag());
        }
    }

    @Test
    void theVersionIsPrinted() throws Exception {
        assertThat(run("--version")).isEqualTo(Main.OK);
        assertThat(text(out)).startsWith("tidemark server ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--no-such-flag",
                "surplus",
                "--client-port",
                "--client-port=",
                "--client-port=70000",
                "--cluster=n1=h1,n2=h2",
                "--id=a --id=b",
                "--config=/no/such/file",
                "--config=a --config=b",
                "--log-level=loud"
            })
    void wrongUsageIsOneLineAndEndsWithTwo(String arguments) throws Exception {
        assertThat(run(arguments.split(" ", -1))).isEqualTo(Main.USAGE);
        assertOneLine("tidemark server: ");
        assertThat(text(out)).isEmpty();
    }

    @Test
    void theEnvironmentCanSetTheLogLevelAndIsCheckedToo() throws Exception {
        int code = new Main(new PrintStream(out), new PrintStream(err), ignored -> {})
                .run(new String[0], Map.of("TIDEMARK_LOG", "loud"));
        assertThat(code).isEqualTo(Main.USAGE);
        assertOneLine("environment variable TIDEMARK_LOG");
    }

    @Test
    void aPortInUseIsNamedWithItsFlag() throws Exception {
        for (String flag : List.of("--client-port", "--raft-port", "--http-port")) {
            out.reset();
            err.reset();
            try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                List<String> arguments = new ArrayList<>(
                        List.of("--data", directory.resolve("data").toString()));
                for (String each : List.of("--client-port", "--raft-port", "--http-port")) {
                    arguments.add(each);
                    arguments.add(String.valueOf(each.equals(flag) ? taken.getLocalPort() : FreePorts.next()));
                }
                assertThat(run(arguments.toArray(String[]::new))).as(flag).isEqualTo(Main.CANNOT_START);
                assertOneLine("cannot start: ", ":" + taken.getLocalPort(), "in use", flag);
            }
        }
    }

    @Test
    void aDirectoryThatCannotBeUsedIsNamed() throws Exception {
        Path file = Files.createFile(directory.resolve("file"));
        assertThat(run("--data", file.toString(), "--http-port", "0")).isEqualTo(Main.CANNOT_START);
        assertOneLine(file.toString(), "is a file");
        err.reset();
        Path data = Files.createDirectory(directory.resolve("data"));
        Files.writeString(data.resolve("identity"), "tidemark-identity=99\n");
        assertThat(run("--data", data.toString(), "--http-port", "0")).isEqualTo(Main.CANNOT_START);
        assertOneLine("too new", data.resolve("identity").toString());
        err.reset();
        Files.writeString(data.resolve("identity"), "nonsense");
        assertThat(run("--data", data.toString(), "--http-port", "0")).isEqualTo(Main.CANNOT_START);
        assertOneLine("corrupt", data.resolve("identity").toString());
    }

    @Test
    void aThreadOfOursThatDiesEndsTheProcess() throws Exception {
        CompletableFuture<Integer> exit = new CompletableFuture<>();
        Main main = new Main(new PrintStream(out), new PrintStream(err), exit::complete);
        main.startEnded();
        main.uncaught(new NamedThreads("x").newThread(() -> {}), new IllegalStateException("two\nlines"));
        assertThat(exit.get(10, TimeUnit.SECONDS)).isEqualTo(Main.FAILED);
        assertThat(text(err).lines())
                .singleElement()
                .asString()
                .startsWith("tidemark server: failed: thread tidemark-x-1 died: ")
                .contains("two | lines");
    }

    @Test
    void anErrorOfTheMachineInAnyThreadEndsTheProcess() throws Exception {
        CompletableFuture<Integer> exit = new CompletableFuture<>();
        new Main(new PrintStream(out), new PrintStream(err), exit::complete)
                .uncaught(new Thread(() -> {}, "library"), new OutOfMemoryError("planted"));
        assertThat(exit.get(10, TimeUnit.SECONDS)).isEqualTo(Main.FAILED);
    }

    @Test
    void anExceptionInALibrarysThreadDoesNot() {
        new Main(new PrintStream(out), new PrintStream(err), code -> {
                    throw new AssertionError("ended with " + code);
                })
                .uncaught(new Thread(() -> {}, "library"), new IllegalStateException("planted"));
        assertThat(text(err)).isEmpty();
    }

    @Test
    void aSecondSignalEndsAtOnce() {
        List<Integer> exits = new ArrayList<>();
        Main main = new Main(new PrintStream(out), new PrintStream(err), exits::add);
        main.signalled();
        assertThat(exits).isEmpty();
        main.signalled();
        assertThat(exits).containsExactly(Main.CUT_SHORT);
    }

    /** In a process of its own, because that is what must end. */
    @Test
    void aProcessServesRefusesASecondOneAndEndsOnSigtermWithZero() throws Exception {
        Path data = directory.resolve("data");
        Process first = process(data);
        try (BufferedReader lines = first.inputReader()) {
            String ready = lines.readLine();
            assertThat(ready)
                    .startsWith("tidemark server n1 ready: clients 127.0.0.1:")
                    .endsWith("data " + data);
            Process second = process(data);
            assertThat(new String(second.getErrorStream().readAllBytes(), StandardCharsets.UTF_8))
                    .contains(
                            "tidemark server: cannot start: directory " + data + " is in use",
                            "(process " + first.pid() + ")")
                    .doesNotContain("\tat ");
            assertThat(second.waitFor()).isEqualTo(Main.CANNOT_START);
            // Process.destroy would close the pipes as well.
            assertThat(first.toHandle().destroy()).isTrue();
            assertThat(first.waitFor()).isEqualTo(Main.OK);
            assertThat(lines.readLine()).isNull();
        } finally {
            first.destroyForcibly();
        }
    }

    private Process process(Path data) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        command.addAll(List.of("--data", data.toString(), "--http-port", "0"));
        command.addAll(List.of(
                "--client-port", String.valueOf(FreePorts.next()), "--raft-port", String.valueOf(FreePorts.next())));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.PIPE)
                .start();
    }

    private void assertOneLine(String... words) {
        String said = text(err);
        assertThat(said).contains(words).doesNotContain("\tat ", "Exception");
        assertThat(said.lines().filter(line -> line.startsWith("tidemark server: ")))
                .hasSize(1);
        assertThat(said.lines()).hasSize(1);
    }

    private int run(String... arguments) throws InterruptedException {
        return new Main(new PrintStream(out), new PrintStream(err), code -> {}).run(arguments, Map.of());
    }

    private static String text(ByteArrayOutputStream stream) {
        return stream.toString(StandardCharsets.UTF_8);
    }
}
