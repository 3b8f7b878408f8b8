package tidemark.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import tidemark.server.batch.BatchMetrics;
import tidemark.server.grpc.RpcMetrics;
import tidemark.server.raft.RaftMeter;
import tidemark.server.raft.RaftMeter.ProposalEnd;
import tidemark.statemachine.model.GroupId;

class ServerMetricsTest {
    private final ServerMetrics metrics = new ServerMetrics();

    @Test
    void callsAreCountedByMethodStatusAndReason() {
        RpcMetrics rpc = metrics.rpc();
        rpc.callStarted("Service/Append");
        assertThat(metrics.text()).contains("tidemark_rpc_open_calls 1\n");
        rpc.callEnded("Service/Append", "OK", Optional.empty(), 2_000_000_000);
        rpc.callStarted("Service/Append");
        rpc.callEnded("Service/Append", "ABORTED", Optional.of("END_CONFLICT"), 4_000_000_000L);
        rpc.callForwarded("Service/Append");
        assertThat(metrics.text())
                .contains(
                        "tidemark_rpc_open_calls 0\n",
                        "tidemark_rpc_calls_total{method=\"Service/Append\",status=\"OK\",reason=\"\"} 1\n",
                        "tidemark_rpc_calls_total{method=\"Service/Append\",status=\"ABORTED\",reason=\"END_CONFLICT\"} 1\n",
                        "tidemark_rpc_seconds_sum{method=\"Service/Append\"} 6\n",
                        "tidemark_rpc_seconds_count{method=\"Service/Append\"} 2\n",
                        "tidemark_rpc_forwarded_total{method=\"Service/Append\"} 1\n");
    }

    @Test
    void recordsAndEntriesAreCounted() {
        RpcMetrics rpc = metrics.rpc();
        rpc.appended(10, 1_000, 5);
        rpc.read(4, 400);
        BatchMetrics batch = metrics.batch();
        batch.entryProposed(3, 999);
        batch.entryCompleted(1_000_000, true);
        batch.entryCompleted(1_000_000, false);
        assertThat(metrics.text())
                .contains(
                        "tidemark_appended_records_total 10\n",
                        "tidemark_appended_bytes_total 1000\n",
                        "tidemark_append_seconds_count 1\n",
                        "tidemark_read_records_total 4\n",
                        "tidemark_read_bytes_total 400\n",
                        "tidemark_entry_commands_sum 3\n",
                        "tidemark_entry_bytes_sum 999\n",
                        "tidemark_entry_seconds_count 2\n",
                        "tidemark_entries_failed_total 1\n");
    }

    @Test
    void whatRaftDoesIsCounted() {
        RaftMeter raft = metrics.raft();
        GroupId group = new GroupId(new UUID(1, 2));
        raft.applied(group, 70);
        raft.proposalEnded(group, ProposalEnd.APPLIED, 1);
        raft.proposalEnded(group, ProposalEnd.INDETERMINATE, 1);
        raft.leadershipChanged(group, true);
        raft.leadershipChanged(group, true);
        raft.checkpointWritten(group, 1_000_000_000);
        raft.snapshotInstalled(group, 1_000_000_000);
        assertThat(metrics.text())
                .contains(
                        "tidemark_raft_applied_entries_total 1\n",
                        "tidemark_raft_applied_bytes_total 70\n",
                        "tidemark_raft_proposals_total{end=\"applied\"} 1\n",
                        "tidemark_raft_proposals_total{end=\"indeterminate\"} 1\n",
                        "tidemark_raft_proposals_total{end=\"refused\"} 0\n",
                        "tidemark_raft_groups_leading 1\n",
                        "tidemark_raft_checkpoint_seconds_sum 1\n",
                        "tidemark_raft_snapshot_install_seconds_sum 1\n");
        raft.leadershipChanged(group, false);
        assertThat(metrics.text()).contains("tidemark_raft_groups_leading 0\n");
    }

    @Test
    void theNumberOfSeriesIsBounded() {
        RpcMetrics rpc = metrics.rpc();
        for (int i = 0; i < 10 * ServerMetrics.SERIES_MAX; i++) {
            rpc.callEnded("Service/Method" + i, "OK", Optional.empty(), 1);
        }
        Set<String> names = new HashSet<>();
        metrics.text().lines().filter(line -> !line.startsWith("#")).forEach(names::add);
        // A summary has six lines.
        assertThat(names).hasSizeLessThan(7 * ServerMetrics.SERIES_MAX);
        assertThat(metrics.text()).contains("method=\"other\",status=\"other\"");
    }

    /** As a scraper reads it: each family announced once, its series together, each series once, each value a number. */
    @Test
    void theTextIsWellFormed() {
        metrics.rpc().callEnded("with \"quotes\" \\ and\nlines", "OK", Optional.empty(), 1);
        metrics.gauge("unknown_value", "None yet.", () -> Double.NaN);
        Set<String> families = new HashSet<>();
        Set<String> series = new HashSet<>();
        String family = "";
        for (String line : metrics.text().split("\n", -1)) {
            if (line.startsWith("# TYPE ")) {
                family = line.split(" ", -1)[2];
                assertThat(families.add(family)).as(line).isTrue();
                assertThat(line).matches("# TYPE [a-zA-Z_:][a-zA-Z0-9_:]* (counter|gauge|summary)");
            } else if (line.startsWith("# HELP ")) {
                assertThat(line).matches("# HELP [a-zA-Z_:][a-zA-Z0-9_:]* .+");
            } else if (!line.isEmpty()) {
                assertThat(line)
                        .matches(
                                "[a-zA-Z_:][a-zA-Z0-9_:]*(\\{([a-z]+=\"([^\"\\\\]|\\\\.)*\",?)*})? (NaN|-?[0-9.]+(E-?[0-9]+)?)");
                assertThat(line).startsWith(family);
                assertThat(series.add(line.substring(0, line.lastIndexOf(' '))))
                        .as(line)
                        .isTrue();
            }
        }
        assertThat(families).contains("jvm_memory_heap_used", "tidemark_rpc_calls_total", "unknown_value");
    }
}
