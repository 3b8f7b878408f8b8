package tidemark.server.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static tidemark.server.raft.Cluster.GROUP;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Damages the journal of a stopped server of one, and starts it: what any crash can leave is repaired, all else refused. */
@Timeout(180)
class JournalDamageTest {
    private static final int ENTRIES = 20;

    @TempDir
    Path directory;

    @Test
    void tornTailOfTheLastSegmentIsCutAndTheServerStarts() throws Exception {
        Node node = stoppedWithEntries();
        Files.delete(node.checkpointFile(GROUP));
        Path open = segments(node).get(segments(node).size() - 1);
        // Half an entry: its length says 100 bytes, 50 came.
        change(open, bytes -> {
            byte[] longer = Arrays.copyOf(bytes, bytes.length + 51);
            longer[bytes.length] = 100;
            Arrays.fill(longer, bytes.length + 1, longer.length, (byte) 7);
            return longer;
        });
        node.start(Cluster.settings());
        assertWorks(node);
    }

    @Test
    void tornTailFollowedByZerosIsCutToo() throws Exception {
        Node node = stoppedWithEntries();
        Files.delete(node.checkpointFile(GROUP));
        Path open = segments(node).get(segments(node).size() - 1);
        change(open, bytes -> {
            byte[] longer = Arrays.copyOf(bytes, bytes.length + 4096);
            longer[bytes.length] = 100;
            Arrays.fill(longer, bytes.length + 1, bytes.length + 20, (byte) 7);
            return longer;
        });
        node.start(Cluster.settings());
        assertWorks(node);
    }

    @Test
    void flippedBitWithIntactEntriesBehindItIsRefusedAndNothingIsChanged() throws Exception {
        Node node = stoppedWithEntries();
        Files.delete(node.checkpointFile(GROUP));
        Path open = segments(node).get(segments(node).size() - 1);
        int at = indexOf(Files.readAllBytes(open), "entry 7");
        change(open, bytes -> {
            bytes[at] ^= 1;
            return bytes;
        });
        byte[] before = Files.readAllBytes(open);
        assertThatThrownBy(() -> node.start(Cluster.settings()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(open.toString())
                .hasMessageContaining(GROUP.toString())
                .hasMessageContaining("intact ones follow");
        assertThat(Files.readAllBytes(open)).isEqualTo(before);
        assertThat(node.failures).isEmpty(); // whoever starts it has the exception
    }

    @Test
    void damageInAClosedSegmentIsRefused() throws Exception {
        Node node = stoppedWithEntries();
        node.start(Cluster.settings()); // a new term: the old segment is closed
        assertWorks(node);
        node.stop();
        Files.delete(node.checkpointFile(GROUP));
        List<Path> segments = segments(node);
        assertThat(segments).hasSizeGreaterThan(1);
        Path closed = segments.get(0);
        int at = indexOf(Files.readAllBytes(closed), "entry 19");
        change(closed, bytes -> {
            bytes[at] ^= 1;
            return bytes;
        });
        assertThatThrownBy(() -> node.start(Cluster.settings()))
                .hasMessageContaining(closed.toString())
                .hasMessageContaining("damaged journal");
    }

    @Test
    void missingSegmentIsRefused() throws Exception {
        Node node = stoppedWithEntries();
        node.start(Cluster.settings());
        assertWorks(node);
        node.stop();
        Files.delete(node.checkpointFile(GROUP));
        Files.delete(segments(node).get(0));
        assertThatThrownBy(() -> node.start(Cluster.settings())).hasMessageContaining("are missing");
    }

    @Test
    void segmentsThatAPurgeLeftBeforeAGapAreDeleted() throws Exception {
        Node node = stoppedWithEntries();
        for (int round = 0; round < 2; round++) {
            node.start(Cluster.settings());
            assertWorks(node);
            node.stop(); // writes a checkpoint
        }
        List<Path> segments = segments(node);
        assertThat(segments).hasSizeGreaterThanOrEqualTo(3);
        Files.delete(segments.get(1)); // the purge deletes the newest first
        node.start(Cluster.settings());
        assertWorks(node);
        assertThat(segments.get(0)).doesNotExist();
    }

    @Test
    void journalThatEndsBelowTheCheckpointIsStartedAfresh() throws Exception {
        Node node = stoppedWithEntries(); // the checkpoint is at its end
        Path open = segments(node).get(segments(node).size() - 1);
        int at = indexOf(Files.readAllBytes(open), "entry 10") - 100;
        change(open, bytes -> Arrays.copyOf(bytes, at)); // as after an install whose purge was cut short
        node.start(Cluster.settings());
        assertWorks(node);
        node.stop();
        node.start(Cluster.settings());
        assertWorks(node);
    }

    @Test
    void segmentWithoutHeaderIsRefused() throws Exception {
        Node node = stoppedWithEntries();
        Files.writeString(segments(node).get(0), "nonsense, and more than a header");
        assertThatThrownBy(() -> node.start(Cluster.settings()))
                .hasMessageContaining("no journal header")
                .hasMessageContaining(GROUP.toString());
    }

    private Node stoppedWithEntries() throws IOException {
        Cluster cluster = new Cluster(directory, 1, Cluster.settings()).start();
        for (int i = 0; i < ENTRIES; i++) {
            cluster.append("entry " + i + "\n");
        }
        Node node = cluster.leader();
        node.stop();
        return node;
    }

    /** It elects itself, holds all the entries, and takes one more. */
    private static void assertWorks(Node node) {
        Cluster.await("a leader", () -> node.group(GROUP).leadership().leads());
        long before = node.machine(GROUP).count();
        assertThat(before).isGreaterThanOrEqualTo(ENTRIES);
        Cluster.await("an append", () -> {
            try {
                Cluster.result(node.group(GROUP), "one more\n".getBytes(StandardCharsets.UTF_8));
                return true;
            } catch (ProposalException e) {
                return false;
            }
        });
        assertThat(node.machine(GROUP).count()).isEqualTo(before + 1);
        assertThat(new String(node.machine(GROUP).bytes(), StandardCharsets.UTF_8))
                .startsWith("entry 0\nentry 1\n");
    }

    /** In the order of their entries. */
    private static List<Path> segments(Node node) throws IOException {
        try (var files = Files.list(node.journal(GROUP))) {
            return files.filter(p -> p.getFileName().toString().startsWith("log_"))
                    .sorted(java.util.Comparator.comparingLong(p -> Long.parseLong(p.getFileName()
                            .toString()
                            .replace("log_inprogress_", "")
                            .replace("log_", "")
                            .split("-", -1)[0])))
                    .toList();
        }
    }

    private static void change(Path file, UnaryOperator<byte[]> change) throws IOException {
        Files.write(file, change.apply(Files.readAllBytes(file)));
    }

    private static int indexOf(byte[] bytes, String text) {
        int at = new String(bytes, StandardCharsets.ISO_8859_1).indexOf(text);
        assertThat(at).isPositive();
        return at;
    }
}
