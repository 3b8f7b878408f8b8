package tidemark.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import tidemark.chaos.process.ClusterProcesses;
import tidemark.chaos.process.Distribution;
import tidemark.chaos.process.ServerProcess;
import tidemark.client.Endpoint;
import tidemark.client.LogPosition;
import tidemark.client.ReadOptions;
import tidemark.client.RecordReader;
import tidemark.client.StoredLogRecord;
import tidemark.client.StreamSettings;
import tidemark.client.TidemarkClient;

/**
 * Three servers, a client that appends without pause, {@code kill -9} of each server in turn and of all three at once, round after round:
 * every acknowledged record is there once, at its offset, in order, on every replica.
 *
 * <p>The number of rounds is the system property {@code tidemark.rounds}; the longest time without an acknowledgement is printed for
 * each kill, and asserted only if {@code tidemark.gap.max.seconds} is given: it depends on the machine.
 */
class KillRoundsTest {
    private static final String STREAM = "kill/rounds";
    private static final int ROUNDS = Integer.getInteger("tidemark.rounds", 1);
    private static final int GAP_MAX_SECONDS = Integer.getInteger("tidemark.gap.max.seconds", Integer.MAX_VALUE);
    private static final int PROGRESS_RECORDS = 2_000;

    // The servers' logs stay when it fails.
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    @Test
    void acknowledgedRecordsSurviveEveryKill() throws Exception {
        try (ClusterProcesses cluster = new ClusterProcesses(Distribution.built(), 3, directory)) {
            cluster.startAll();
            try (TidemarkClient client = TidemarkClient.connect(cluster.endpoints())) {
                Await.until("the cluster takes a stream", () -> {
                    client.createStream(STREAM, StreamSettings.defaults().withReplicas(3));
                    return true;
                });
                ContinuousWriter writer = new ContinuousWriter(client, STREAM);
                List<Duration> gaps = new ArrayList<>();
                for (int round = 1; round <= ROUNDS; round++) {
                    for (String id : cluster.ids()) {
                        gaps.add(killOne(cluster, client, writer, id, round));
                    }
                    killAll(cluster, writer, round);
                }
                writer.finish();
                System.out.printf(
                        "kill rounds: %d rounds, %d acknowledged, %d appenders gave up, longest gap with one killed %d ms%n",
                        ROUNDS,
                        writer.acknowledgedCount(),
                        writer.brokenAppenders(),
                        gaps.stream().mapToLong(Duration::toMillis).max().orElse(0));
                check(cluster, client, writer);
                assertThat(gaps)
                        .as("longest gap between acknowledgements with one server killed")
                        .allSatisfy(gap -> assertThat(gap.toSeconds()).isLessThan(GAP_MAX_SECONDS));
            }
        }
    }

    private static Duration killOne(
            ClusterProcesses cluster, TidemarkClient client, ContinuousWriter writer, String id, int round)
            throws InterruptedException {
        awaitProgress(writer);
        boolean led = client.tail(STREAM).serverId().equals(id);
        writer.takeLongestGap();
        cluster.server(id).kill();
        awaitProgress(writer);
        Duration gap = writer.takeLongestGap();
        System.out.printf(
                "round %d: killed %s (%s): longest gap %d ms%n",
                round, id, led ? "leader" : "follower", gap.toMillis());
        cluster.server(id).start();
        long end = client.tail(STREAM).endOffset();
        awaitReplica(cluster, client, id, end);
        return gap;
    }

    private static void killAll(ClusterProcesses cluster, ContinuousWriter writer, int round)
            throws InterruptedException {
        awaitProgress(writer);
        writer.takeLongestGap();
        for (String id : cluster.ids()) {
            cluster.server(id).kill();
        }
        cluster.startAll();
        awaitProgress(writer);
        System.out.printf(
                "round %d: killed all: longest gap %d ms%n",
                round, writer.takeLongestGap().toMillis());
    }

    private static void awaitProgress(ContinuousWriter writer) throws InterruptedException {
        long goal = writer.acknowledgedCount() + PROGRESS_RECORDS;
        Await.until("the writer makes progress", () -> writer.acknowledgedCount() >= goal);
    }

    private static void awaitReplica(ClusterProcesses cluster, TidemarkClient client, String id, long end)
            throws InterruptedException {
        Endpoint replica = Endpoint.parse(cluster.endpoint(id));
        Await.until(
                "replica " + id + " reaches " + end,
                () -> client.replicaTail(replica, STREAM).endOffset() >= end);
    }

    /** Every replica holds the same records, and each acknowledged one once, at the offset of its acknowledgement. */
    private static void check(ClusterProcesses cluster, TidemarkClient client, ContinuousWriter writer)
            throws InterruptedException {
        long end = client.tail(STREAM).endOffset();
        List<byte[]> truth = List.of();
        for (String id : cluster.ids()) {
            assertThat(cluster.server(id)).matches(ServerProcess::isAlive, "alive: " + id);
            awaitReplica(cluster, client, id, end);
            List<byte[]> records = readAll(client, Endpoint.parse(cluster.endpoint(id)), end);
            if (truth.isEmpty()) {
                truth = records;
            }
            assertEqual(id, records, truth);
        }
        Map<Long, Long> places = new HashMap<>();
        for (int offset = 0; offset < truth.size(); offset++) {
            Long before = places.put(ContinuousWriter.number(truth.get(offset)), (long) offset);
            assertThat(before).as("record %d twice", offset).isNull();
        }
        writer.acknowledged()
                .forEach((number, offset) -> assertThat(places.get(number))
                        .as("place of record %d", number)
                        .isEqualTo(offset));
        assertInOrder(truth);
    }

    private static List<byte[]> readAll(TidemarkClient client, Endpoint replica, long end) {
        List<byte[]> records = new ArrayList<>();
        ReadOptions options = ReadOptions.builder(LogPosition.start())
                .replica(replica)
                .untilOffset(end)
                .build();
        try (RecordReader reader = client.read(STREAM, options)) {
            for (@Nullable StoredLogRecord record = reader.next(); record != null; record = reader.next()) {
                assertThat(record.offset()).as("dense offsets").isEqualTo(records.size());
                records.add(record.record().payloadBytes());
            }
        }
        return records;
    }

    private static void assertEqual(String id, List<byte[]> records, List<byte[]> truth) {
        assertThat(records).as("number of records on %s", id).hasSameSizeAs(truth);
        for (int offset = 0; offset < truth.size(); offset++) {
            if (!Arrays.equals(records.get(offset), truth.get(offset))) {
                throw new AssertionError("replica " + id + " differs at offset " + offset);
            }
        }
    }

    private static void assertInOrder(List<byte[]> truth) {
        long last = -1;
        for (byte[] payload : truth) {
            long number = ContinuousWriter.number(payload);
            assertThat(number).as("order of one writer's records").isGreaterThan(last);
            last = number;
        }
    }
}
