package tidemark.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tidemark.client.Endpoint;
import tidemark.client.LogPosition;
import tidemark.client.LogRecord;
import tidemark.client.ReadOptions;
import tidemark.client.RecordReader;
import tidemark.client.StoredLogRecord;
import tidemark.client.StreamSettings;
import tidemark.client.StreamUpdate;
import tidemark.client.TidemarkClient;
import tidemark.server.config.ConfigReader;
import tidemark.server.config.Given;
import tidemark.server.config.Setting;

/** Whole servers in this process, over loopback, with real files: the parts fit together. */
@Timeout(120) // Instead of waiting for ever for what does not come.
class ServerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    @TempDir
    private Path directory;

    private final Map<String, Server> running = new java.util.TreeMap<>();
    private final Map<String, Integer> clientPorts = new java.util.TreeMap<>();
    private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
    private final Map<Setting, String> storage = new EnumMap<>(Setting.class);
    private String clusterList = "";

    @AfterEach
    void stopAll() {
        List.copyOf(running.keySet()).forEach(this::stop);
        assertThat(failures).isEmpty();
    }

    @Test
    void aSingleServerKeepsAStreamOverARestart() throws Exception {
        cluster("n1");
        start("n1");
        try (TidemarkClient client = TidemarkClient.connect(endpoints())) {
            client.createStream("orders/new", StreamSettings.defaults());
            append(client, "orders/new", 0, 100);
            assertThat(payloads(client, "orders/new", ReadOptions.from(LogPosition.start())))
                    .isEqualTo(numbers(0, 100));
            stop("n1");
            start("n1");
            assertThat(payloads(client, "orders/new", ReadOptions.from(LogPosition.start())))
                    .isEqualTo(numbers(0, 100));
            append(client, "orders/new", 100, 150);
            assertThat(payloads(client, "orders/new", ReadOptions.from(LogPosition.offset(95))))
                    .isEqualTo(numbers(95, 150));
        }
    }

    @Test
    void aSingleServerIsReadyWhenItSaysSo() throws Exception {
        cluster("n1");
        Server server = start("n1");
        assertThat(server.health().ready()).isTrue();
        assertThat(server.health().problems()).isEmpty();
        assertThat(server.readyLine())
                .startsWith("tidemark server n1 ready: clients 127.0.0.1:" + clientPorts.get("n1") + ", raft ");
    }

    @Test
    void threeServersHoldTheSameAndOneCanBeAway() throws Exception {
        cluster("n1", "n2", "n3");
        startAll();
        try (TidemarkClient client = TidemarkClient.connect(endpoints())) {
            client.createStream("s", new StreamSettings(3, 0, Map.of()));
            append(client, "s", 0, 50);
            assertReplicasHold(client, numbers(0, 50), "n1", "n2", "n3");

            String away = client.getStream("s").leaderId();
            stop(away);
            append(client, "s", 50, 100);
            assertReplicasHold(client, numbers(0, 100), running.keySet().toArray(String[]::new));

            start(away);
            assertReplicasHold(client, numbers(0, 100), "n1", "n2", "n3");
            await(
                    "all are ready",
                    () -> running.values().stream()
                            .allMatch(server -> server.health().ready()));
        }
    }

    @Test
    void aDeletedStreamLeavesNothingOnAnyServer() throws Exception {
        cluster("n1", "n2", "n3");
        startAll();
        try (TidemarkClient client = TidemarkClient.connect(endpoints())) {
            client.createStream("s", new StreamSettings(3, 0, Map.of()));
            append(client, "s", 0, 10);
            String group = client.getStream("s").groupId();
            await("each server hosts it", () -> paths(group).count() >= 3);
            client.deleteStream("s");
            await("no server has files of it", () -> paths(group).findAny().isEmpty());
            client.createStream("s", new StreamSettings(3, 0, Map.of()));
            assertThat(payloads(client, "s", ReadOptions.from(LogPosition.start())))
                    .isEmpty();
        }
    }

    /**
     * The catalog is a group like the others: a server that missed more of it than the others' journals keep is given a snapshot. That
     * it took it over shows when its vote is needed.
     */
    @Test
    void aServerThatMissedMoreOfTheCatalogThanJournalsKeepCatchesUp() throws Exception {
        cluster("n1", "n2", "n3");
        storage.putAll(Map.of(Setting.CHECKPOINT_BYTES, "64KiB", Setting.JOURNAL_KEEP_BYTES, "0"));
        startAll();
        try (TidemarkClient client = TidemarkClient.connect(endpoints())) {
            client.createStream("s", new StreamSettings(3, 0, Map.of()));
            stop("n3");
            // It has seen a handful of entries.
            for (int revision = 0; firstInJournal("n1") < 100 || firstInJournal("n2") < 100; revision++) {
                assertThat(revision).as("changes until the journals are purged").isLessThan(5_000);
                client.updateStream("s", StreamUpdate.none().withSetLabels(bigLabels(revision)));
            }
            Server back = start("n3");
            await("n3 is ready", () -> back.health().ready());
            stop("n2");
            client.updateStream("s", StreamUpdate.none().withSetLabels(Map.of("label0", "n3 voted")));
            assertThat(client.getStream("s").settings().labels()).containsEntry("label0", "n3 voted");
        }
    }

    /** Index of the first entry that the journal of the catalog still holds on a server. */
    private long firstInJournal(String id) throws IOException {
        String catalog = running.values().iterator().next().catalogGroup().toString();
        Pattern segment = Pattern.compile("log_(?:inprogress_)?(\\d+).*");
        try (Stream<Path> files = Files.list(directory.resolve(id).resolve("raft/" + catalog + "/current"))) {
            return files.map(file -> segment.matcher(file.getFileName().toString()))
                    .filter(Matcher::matches)
                    .mapToLong(name -> Long.parseLong(name.group(1)))
                    .min()
                    .orElseThrow();
        }
    }

    private static Map<String, String> bigLabels(int revision) {
        return IntStream.range(0, 32)
                .boxed()
                .collect(Collectors.toMap(label -> "label" + label, label -> revision + "-".repeat(240)));
    }

    private void startAll() {
        clientPorts.keySet().stream()
                .map(id -> CompletableFuture.runAsync(() -> start(id)))
                .toList()
                .forEach(CompletableFuture::join);
    }

    private void cluster(String... ids) throws IOException {
        List<String> entries = new ArrayList<>();
        for (String id : ids) {
            clientPorts.put(id, FreePorts.next());
            entries.add(id + "=127.0.0.1:" + clientPorts.get(id) + ":" + FreePorts.next());
        }
        clusterList = String.join(",", entries);
    }

    private Server start(String id) {
        Map<Setting, Given> settings = new EnumMap<>(Setting.class);
        Map.of(
                        Setting.ID,
                        id,
                        Setting.CLUSTER,
                        clusterList,
                        Setting.HTTP_PORT,
                        "0",
                        Setting.DATA,
                        directory.resolve(id).toString())
                .forEach((setting, value) -> settings.put(setting, new Given(value, setting.flag())));
        storage.forEach((setting, value) -> settings.put(setting, new Given(value, setting.flag())));
        try {
            Server server = new Server(
                    ConfigReader.read(settings, Map.of(), Optional.empty()),
                    (group, problem, cause) -> failures.add(id + " " + problem + " " + cause));
            server.start();
            synchronized (running) {
                running.put(id, server);
            }
            return server;
        } catch (StartException | tidemark.server.config.ConfigException e) {
            throw new IllegalStateException(e);
        }
    }

    private void stop(String id) {
        Server server = running.remove(id);
        if (server != null) {
            server.stop(Duration.ofSeconds(5));
        }
    }

    private String endpoints() {
        return String.join(
                ",",
                clientPorts.values().stream().map(port -> "127.0.0.1:" + port).toList());
    }

    private static void append(TidemarkClient client, String stream, int from, int to) {
        for (int number = from; number < to; number += 10) {
            client.append(
                    stream,
                    IntStream.range(number, Math.min(to, number + 10))
                            .mapToObj(each -> LogRecord.of("record " + each))
                            .toArray(LogRecord[]::new));
        }
    }

    private static List<String> numbers(int from, int to) {
        return IntStream.range(from, to).mapToObj(number -> "record " + number).toList();
    }

    private void assertReplicasHold(TidemarkClient client, List<String> expected, String... ids) {
        for (String id : ids) {
            Endpoint replica = Endpoint.parse("127.0.0.1:" + clientPorts.get(id));
            await(id + " has caught up", () -> client.replicaTail(replica, "s").endOffset() >= expected.size());
            assertThat(payloads(
                            client,
                            "s",
                            ReadOptions.builder(LogPosition.start())
                                    .replica(replica)
                                    .build()))
                    .as(id)
                    .isEqualTo(expected);
        }
    }

    private static List<String> payloads(TidemarkClient client, String stream, ReadOptions options) {
        List<String> payloads = new ArrayList<>();
        try (RecordReader reader = client.read(stream, options)) {
            for (StoredLogRecord next = reader.next(); next != null; next = reader.next()) {
                payloads.add(
                        StandardCharsets.UTF_8.decode(next.record().payload()).toString());
            }
        }
        return payloads;
    }

    /** Files and directories of a group, on all servers. */
    private Stream<Path> paths(String group) {
        List<Path> found = new ArrayList<>();
        for (String id : clientPorts.keySet()) {
            for (String part : List.of("raft", "streams", "manifests")) {
                Path path = directory.resolve(id).resolve(part).resolve(group);
                if (Files.exists(path)) {
                    found.add(path);
                }
            }
        }
        return found.stream();
    }

    private static void await(String what, BooleanSupplier condition) {
        long until = System.nanoTime() + PATIENCE.toNanos();
        @org.jspecify.annotations.Nullable RuntimeException last = null;
        while (System.nanoTime() < until) {
            try {
                if (condition.getAsBoolean()) {
                    return;
                }
            } catch (tidemark.client.TidemarkException notYet) {
                last = notYet;
            }
            LockSupport.parkNanos(20_000_000);
        }
        throw new AssertionError("not so after " + PATIENCE + ": " + what, last);
    }
}
