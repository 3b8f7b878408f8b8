package tidemark.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tidemark.chaos.process.ClusterProcesses;
import tidemark.chaos.process.Commands;
import tidemark.chaos.process.Distribution;
import tidemark.client.StreamSettings;
import tidemark.client.TidemarkClient;

/** The {@code tidemark} command against a real server, as a shell script uses it. */
class CommandLineTest {
    @TempDir
    private static Path directory;

    private static ClusterProcesses cluster;

    @BeforeAll
    static void startServer() throws Exception {
        cluster = new ClusterProcesses(Distribution.built(), 1, directory);
        cluster.startAll();
        try (TidemarkClient client = TidemarkClient.connect(cluster.endpoints())) {
            Await.until("the server takes a stream", () -> {
                client.createStream("lines", StreamSettings.defaults());
                return true;
            });
        }
    }

    @AfterAll
    static void stopServer() {
        cluster.close();
    }

    @Test
    void linesComeBackByteForByte() throws Exception {
        byte[] lines = "one\n\nthree\r\n  four ☃\n".getBytes(StandardCharsets.UTF_8);
        assertThat(tidemark(lines, "append", "lines").text()).contains("4 records");
        assertThat(tidemark("read", "lines").out()).isEqualTo(lines);
        assertThat(tidemark("tail", "lines", "-n", "1").out())
                .isEqualTo(Arrays.copyOfRange(lines, lines.length - 11, lines.length));
    }

    @Test
    void anyBytesComeBackByteForByteInOneRecordAFile() throws Exception {
        byte[] binary = new byte[900_000];
        new Random(7).nextBytes(binary);
        Path file = Files.write(directory.resolve("binary"), binary);
        tidemark("stream", "create", "binary");
        assertThat(tidemark("append", "binary", "--per", "file", file.toString())
                        .exit())
                .isZero();
        assertThat(tidemark("read", "binary", "-o", "raw", "--per", "none").out())
                .isEqualTo(binary);
    }

    @Test
    void aPipeThatClosesEarlyEndsQuietly() throws Exception {
        tidemark("stream", "create", "long");
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 200_000; i++) {
            lines.append("line ").append(i).append('\n');
        }
        assertThat(tidemark(lines.toString().getBytes(StandardCharsets.UTF_8), "append", "long")
                        .exit())
                .isZero();
        String command = String.join(" ", Distribution.built().command("read", "long"));
        Commands.Result head = Commands.run(
                directory,
                environment(),
                new byte[0],
                List.of("bash", "-c", "set -o pipefail; " + command + " | head -n 2; echo \"exit ${PIPESTATUS[0]}\""));
        assertThat(head.text()).isEqualTo("line 0\nline 1\nexit 0\n");
        assertThat(head.err()).isEmpty();
    }

    @Test
    void exitCodesTellWhatWentWrong() throws Exception {
        tidemark("stream", "create", "codes");
        tidemark("a\nb\nc\n".getBytes(StandardCharsets.UTF_8), "append", "codes");
        assertThat(tidemark("truncate", "codes", "--before", "2").exit()).isZero();
        assertFails(3, tidemark("read", "codes", "--from", "0"));
        assertFails(3, tidemark("read", "codes", "--from", "4"));
        assertFails(4, tidemark("x".getBytes(StandardCharsets.UTF_8), "append", "codes", "--expected-end", "1"));
        assertFails(1, tidemark("read", "no/such"));
        assertFails(2, tidemark("read", "codes", "--from", "yesterday-ish"));
        assertFails(5, tidemark("--server", "127.0.0.1:1", "--timeout", "2s", "stream", "list"));
        assertThat(tidemark("read", "codes", "--from", "3").exit()).isZero();
    }

    private static void assertFails(int exit, Commands.Result result) {
        assertThat(result.exit()).as(result.err()).isEqualTo(exit);
        assertThat(result.err()).isNotBlank().doesNotContain("\tat ");
    }

    private static Commands.Result tidemark(String... arguments) throws Exception {
        return tidemark(new byte[0], arguments);
    }

    private static Commands.Result tidemark(byte[] input, String... arguments) throws Exception {
        return Commands.run(
                directory, environment(), input, Distribution.built().command(arguments));
    }

    private static Map<String, String> environment() {
        return Map.of("TIDEMARK_SERVERS", cluster.endpoints());
    }
}
