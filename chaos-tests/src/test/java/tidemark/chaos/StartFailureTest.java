package tidemark.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tidemark.chaos.process.ClusterProcesses;
import tidemark.chaos.process.Commands;
import tidemark.chaos.process.Distribution;
import tidemark.chaos.process.ServerProcess;
import tidemark.client.LogRecord;
import tidemark.client.StreamSettings;
import tidemark.client.TidemarkClient;
import tidemark.statemachine.env.Crc32c;

/** A server that cannot start says why in one line, on stderr, and ends with a code that is not 0. */
class StartFailureTest {
    @TempDir
    private Path directory;

    private int clientPort;
    private int raftPort;

    @BeforeEach
    void choosePorts() throws Exception {
        List<Integer> ports = ClusterProcesses.freePorts(2);
        clientPort = ports.get(0);
        raftPort = ports.get(1);
    }

    @Test
    void aPortInUseIsNamed() throws Exception {
        for (int port : List.of(clientPort, raftPort)) {
            try (ServerSocket inTheWay = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                assertFailsWith(1, "" + inTheWay.getLocalPort(), serve());
            }
        }
    }

    @Test
    void aLockedDataDirectoryIsRefused() throws Exception {
        try (ServerProcess first = startedServer()) {
            List<Integer> others = ClusterProcesses.freePorts(2);
            clientPort = others.get(0);
            raftPort = others.get(1);
            assertFailsWith(1, "in use", serve());
            assertThat(first.isAlive()).isTrue();
        }
    }

    @Test
    void anotherClustersDirectoryIsRefused() throws Exception {
        stopAfterStart();
        assertFailsWith(1, "another", serve("--cluster-name", "another"));
        assertFailsWith(1, "n1", serve("--id", "n2"));
    }

    @Test
    void aNewerFormatIsRefusedAndNotTouched() throws Exception {
        stopAfterStart();
        Path manifest = anyFile("manifest-");
        byte[] bytes = Files.readAllBytes(manifest);
        // The format version stands behind the eight bytes of the magic, then the checksum of both (docs/FORMAT.md).
        ByteBuffer prologue = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        prologue.putInt(8, 99);
        prologue.putInt(12, Crc32c.of(prologue.slice(0, 12)));
        Files.write(manifest, bytes);
        assertFailsWith(1, "too new", serve());
        assertThat(Files.readAllBytes(manifest)).isEqualTo(bytes);
    }

    @Test
    void aDamagedManifestIsNamedAndNotTouched() throws Exception {
        stopAfterStart();
        Path manifest = anyFile("manifest-");
        byte[] bytes = Files.readAllBytes(manifest);
        bytes[bytes.length - 1] ^= 1;
        Files.write(manifest, bytes);
        assertFailsWith(1, manifest.getFileName().toString(), serve());
        assertThat(Files.readAllBytes(manifest)).isEqualTo(bytes);
    }

    @Test
    void aTornJournalTailIsRepairedAndNothingAcknowledgedIsLost() throws Exception {
        try (ServerProcess server = startedServer();
                TidemarkClient client = TidemarkClient.connect("127.0.0.1:" + clientPort)) {
            createWhenReady(client);
            client.append("torn", LogRecord.of("kept"));
            String group = client.getStream("torn").groupId();
            server.kill();
            Path open = openJournalOf(group);
            // What a power cut may leave behind the last whole entry.
            Files.write(open, new byte[] {42, 7, 1, 2, 3}, StandardOpenOption.APPEND);
            server.start();
            Await.until("the record is back", () -> client.tail("torn").endOffset() == 1);
        }
    }

    @Test
    void wrongArgumentsAreUsageErrors() throws Exception {
        for (List<String> wrong : List.of(
                List.of("--no-such-flag"),
                List.of("--client-port", "70000"),
                List.of("--cluster", "n1=h1,n2=h2"),
                List.of("--cluster", "n2=h2", "--id", "n1"),
                List.of("--config", directory.resolve("none").toString()))) {
            List<String> command = new ArrayList<>(Distribution.built().command("server"));
            command.addAll(wrong);
            assertFailsWith(2, "", command);
        }
    }

    private void stopAfterStart() throws Exception {
        try (ServerProcess server = startedServer();
                TidemarkClient client = TidemarkClient.connect("127.0.0.1:" + clientPort)) {
            createWhenReady(client);
            client.append("torn", LogRecord.of("something"));
            assertThat(server.stop()).isZero();
        }
    }

    private static void createWhenReady(TidemarkClient client) throws InterruptedException {
        Await.until("the server takes a stream", () -> {
            client.createStream("torn", StreamSettings.defaults());
            return true;
        });
    }

    private ServerProcess startedServer() {
        List<String> command = serve();
        ServerProcess server = new ServerProcess(
                Distribution.built(), command.subList(2, command.size()), directory.resolve("server.log"));
        server.start();
        try {
            Await.until("ready", () -> server.output().contains("ready"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        return server;
    }

    private List<String> serve(String... more) {
        List<String> command = new ArrayList<>(Distribution.built()
                .command(
                        "server",
                        "--data",
                        directory.resolve("data").toString(),
                        "--client-port",
                        "" + clientPort,
                        "--raft-port",
                        "" + raftPort,
                        "--http-port",
                        "0"));
        command.addAll(List.of(more));
        return command;
    }

    private void assertFailsWith(int exit, String words, List<String> command) throws Exception {
        Commands.Result result = Commands.run(directory, Map.of("TIDEMARK_LOG", "error"), new byte[0], command);
        assertThat(result.exit()).as(result.err()).isEqualTo(exit);
        assertThat(result.err()).contains(words).doesNotContain("\tat ");
    }

    private Path anyFile(String prefix) throws Exception {
        try (Stream<Path> files = Files.walk(directory.resolve("data"))) {
            return files.filter(file -> file.getFileName().toString().startsWith(prefix))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private Path openJournalOf(String group) throws Exception {
        try (Stream<Path> files = Files.walk(directory.resolve("data"))) {
            return files.filter(file -> file.toString().contains(group))
                    .filter(file -> file.getFileName().toString().startsWith("log_inprogress"))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
