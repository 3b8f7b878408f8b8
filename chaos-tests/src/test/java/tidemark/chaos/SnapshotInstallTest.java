package tidemark.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tidemark.chaos.process.ClusterProcesses;
import tidemark.chaos.process.Distribution;
import tidemark.client.AppendResult;
import tidemark.client.Appender;
import tidemark.client.Endpoint;
import tidemark.client.LogPosition;
import tidemark.client.LogRecord;
import tidemark.client.ReadOptions;
import tidemark.client.RecordReader;
import tidemark.client.StoredLogRecord;
import tidemark.client.StreamSettings;
import tidemark.client.TidemarkClient;

/**
 * A follower that was away while more was appended than the journals keep gets a snapshot: it fetches what it lacks from the leader,
 * holds the same bytes, and serves reads.
 */
class SnapshotInstallTest {
    private static final String STREAM = "snapshot/install";
    /** Well above what a journal keeps with the settings below. */
    private static final int RECORDS_WHILE_AWAY = 400;

    private static final int RECORD_BYTES = 200_000;

    @TempDir
    private Path directory;

    @Test
    void aFollowerTooFarBehindTheJournalInstallsTheSnapshot() throws Exception {
        try (ClusterProcesses cluster = new ClusterProcesses(
                Distribution.built(), 3, directory, "--checkpoint-bytes", "4MiB", "--journal-keep-bytes", "4MiB")) {
            cluster.startAll();
            try (TidemarkClient client = TidemarkClient.connect(cluster.endpoints())) {
                Await.until("the cluster takes a stream", () -> {
                    client.createStream(STREAM, StreamSettings.defaults().withReplicas(3));
                    return true;
                });
                appendRandom(client, 20, 1);
                String away = follower(cluster, client);
                cluster.server(away).stop();
                appendRandom(client, RECORDS_WHILE_AWAY, 2);
                cluster.server(away).start();

                long end = client.tail(STREAM).endOffset();
                Endpoint replica = Endpoint.parse(cluster.endpoint(away));
                Await.until(
                        "the follower has caught up",
                        () -> client.replicaTail(replica, STREAM).endOffset() == end);

                assertThat(cluster.server(away).output())
                        .as("evidence that a snapshot was installed")
                        .containsPattern("group [0-9a-f-]+: installed the snapshot of n");
                assertSameRecords(client, replica, Endpoint.parse(cluster.endpoint(leader(client))));
                // The files themselves are equal once all have been checkpointed by a graceful stop.
                client.append(STREAM, LogRecord.of("goes on"));
                for (String id : cluster.ids()) {
                    Endpoint server = Endpoint.parse(cluster.endpoint(id));
                    Await.until(
                            id + " has the last record",
                            () -> client.replicaTail(server, STREAM).endOffset() == end + 1);
                }
            }
            for (String id : cluster.ids()) {
                assertThat(cluster.server(id).stop()).as("exit code of %s", id).isZero();
            }
            assertSameSegmentFiles(cluster);
        }
    }

    private static void appendRandom(TidemarkClient client, int count, long seed) {
        Random random = new Random(seed);
        try (Appender appender = client.openAppender(STREAM)) {
            CompletableFuture<?>[] acks = new CompletableFuture<?>[count];
            for (int i = 0; i < count; i++) {
                byte[] payload = new byte[RECORD_BYTES];
                random.nextBytes(payload);
                CompletableFuture<AppendResult> ack = appender.add(LogRecord.ofOwned(payload));
                acks[i] = ack;
            }
            CompletableFuture.allOf(acks).join();
        }
    }

    private static String leader(TidemarkClient client) {
        return client.tail(STREAM).serverId();
    }

    private static String follower(ClusterProcesses cluster, TidemarkClient client) {
        String leader = leader(client);
        return cluster.ids().stream()
                .filter(id -> !id.equals(leader))
                .findFirst()
                .orElseThrow();
    }

    private static void assertSameRecords(TidemarkClient client, Endpoint one, Endpoint other) {
        try (RecordReader left = client.read(STREAM, replicaFromStart(one));
                RecordReader right = client.read(STREAM, replicaFromStart(other))) {
            @Nullable StoredLogRecord record;
            do {
                record = left.next();
                assertThat(record).isEqualTo(right.next());
            } while (record != null);
        }
    }

    private static ReadOptions replicaFromStart(Endpoint replica) {
        return ReadOptions.builder(LogPosition.start()).replica(replica).build();
    }

    private static void assertSameSegmentFiles(ClusterProcesses cluster) throws Exception {
        List<Path> truth = segmentFiles(cluster.data("n1"));
        assertThat(truth).as("segment files of n1").isNotEmpty();
        for (String id : cluster.ids()) {
            List<Path> files = segmentFiles(cluster.data(id));
            assertThat(files).as("segment files of %s", id).hasSameSizeAs(truth);
            for (int i = 0; i < truth.size(); i++) {
                assertThat(files.get(i)).hasSameBinaryContentAs(truth.get(i));
            }
        }
    }

    private static List<Path> segmentFiles(Path data) throws Exception {
        try (Stream<Path> files = Files.walk(data)) {
            return files.filter(file -> file.toString().endsWith(".seg"))
                    .sorted(java.util.Comparator.comparing(
                            file -> data.relativize(file).toString()))
                    .toList();
        }
    }
}
