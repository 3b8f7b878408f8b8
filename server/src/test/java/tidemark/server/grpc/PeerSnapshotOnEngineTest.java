package tidemark.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static tidemark.server.grpc.Calls.append;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tidemark.statemachine.env.RealFileSystem;
import tidemark.statemachine.machine.GroupMachine;
import tidemark.statemachine.machine.SnapshotInstall;
import tidemark.statemachine.machine.SnapshotInstall.MissingSegment;
import tidemark.statemachine.machine.SnapshotInstall.Receiver;
import tidemark.statemachine.model.StreamEntry;
import tidemark.statemachine.read.ReadCursor;
import tidemark.statemachine.read.ReadResult;
import tidemark.statemachine.segment.EngineLimits;
import tidemark.statemachine.segment.Layout;
import tidemark.statemachine.segment.SegmentFiles;
import tidemark.v1.Record;

/** A replica that has nothing takes over a checkpoint of a real machine, through the services between servers. */
class PeerSnapshotOnEngineTest {
    private final FakeCluster cluster = FakeCluster.onEngine(1);
    private final PeerClient client = new PeerClient(cluster.node(1).channels, FakeCluster.CLUSTER_ID, "s2");

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void aNewReplicaHasTheSameRecordsAfterFetchingThem(@TempDir Path disk) throws IOException {
        FakeLog log = cluster.create("orders");
        StreamEntry stream = cluster.node(1).catalog.stream("orders").orElseThrow();
        String large = "x".repeat(300_000);
        for (int i = 0; i < 12; i++) {
            cluster.node(1).log().append(append("orders", large + i));
        }
        log.replica("s1").orElseThrow().machine().checkpoint();
        RealFileSystem files = new RealFileSystem(disk);
        Layout layout = Layout.of(stream.group());

        try (SegmentFiles segments = new SegmentFiles(files, EngineLimits.DEFAULT)) {
            SnapshotInstall install =
                    SnapshotInstall.begin(files, segments, layout, client.manifest("s1", stream.group()));
            assertThat(install.missing()).hasSizeGreaterThan(2);
            for (MissingSegment missing : install.missing()) {
                fetch(stream, install, missing);
            }
            install.commit();
            try (GroupMachine installed = GroupMachine.open(files, segments, layout)) {
                assertThat(payloads(installed.cursor(stream.id(), 0)))
                        .containsExactlyElementsOf(
                                IntStream.range(0, 12).mapToObj(i -> large + i).toList());
            }
        }
    }

    private void fetch(StreamEntry stream, SnapshotInstall install, MissingSegment missing) throws IOException {
        try (Receiver receiver = install.receive(missing)) {
            client.segment(
                    "s1",
                    stream.group(),
                    missing.stream(),
                    missing.baseOffset(),
                    missing.fromByte(),
                    missing.toByte(),
                    receiver::accept);
            receiver.complete();
        }
    }

    private static List<String> payloads(ReadCursor cursor) throws IOException {
        List<String> payloads = new java.util.ArrayList<>();
        while (cursor.next(1 << 20) instanceof ReadResult.Batches read) {
            for (tidemark.statemachine.format.StoredBatch batch : read.batches()) {
                for (Record record : Records.decode(batch)) {
                    payloads.add(record.getPayload().toStringUtf8());
                }
            }
        }
        return payloads;
    }
}
