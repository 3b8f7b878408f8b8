package tidemark.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tidemark.chaos.process.ClusterProcesses;
import tidemark.chaos.process.Commands;
import tidemark.chaos.process.Distribution;
import tidemark.client.StreamSettings;
import tidemark.client.TidemarkClient;

/** A client in another language that knows only the proto files may ask any of the servers for anything. */
class ThinClientTest {
    private static final String EXAMPLE = "docs/examples/python/tidemark_example.py";

    @TempDir
    private Path directory;

    @Test
    void aPythonClientAppendsToEachServerAndReadsItBackFromEach() throws Exception {
        try (ClusterProcesses cluster = new ClusterProcesses(Distribution.built(), 3, directory)) {
            cluster.startAll();
            try (TidemarkClient client = TidemarkClient.connect(cluster.endpoints())) {
                Await.until("the cluster takes a stream", () -> {
                    client.createStream("warm-up", StreamSettings.defaults());
                    return true;
                });
            }
            int offset = 0;
            StringBuilder expected = new StringBuilder();
            for (String id : cluster.ids()) {
                Commands.Result appended = python("append", cluster.endpoint(id), "thin", "to " + id, "naïve ☃");
                assertThat(appended.err()).isEmpty();
                assertThat(appended.text()).isEqualTo("offsets %d to %d\n".formatted(offset, offset + 1));
                expected.append("%d to %s\n%d naïve ☃\n".formatted(offset, id, offset + 1));
                offset += 2;
            }
            for (String id : cluster.ids()) {
                assertThat(python("read", cluster.endpoint(id), "thin").text())
                        .as("read from %s", id)
                        .isEqualTo(expected.toString());
            }
            Commands.Result missing = python("read", cluster.endpoint("n2"), "no/such");
            assertThat(missing.exit()).isEqualTo(1);
            assertThat(missing.err()).startsWith("NOT_FOUND: ");
        }
    }

    private Commands.Result python(String... arguments) throws Exception {
        List<String> command = new java.util.ArrayList<>(List.of(
                "/usr/bin/python3",
                Path.of(System.getProperty("tidemark.root"), EXAMPLE).toString()));
        command.addAll(List.of(arguments));
        return Commands.run(directory, Map.of("PYTHONIOENCODING", "utf-8"), new byte[0], command);
    }
}
