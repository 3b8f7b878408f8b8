package tidemark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tidemark.v1.ErrorReason;
import tidemark.v1.StreamSettings;

class StreamCommandsTest {
    private FakeServer server;

    @BeforeEach
    void start() throws IOException {
        server = new FakeServer();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void createdStreamHasTheSettingsAskedFor() {
        CommandRun run = run(
                "stream",
                "create",
                "orders",
                "--replicas",
                "3",
                "--max-record-bytes",
                "100",
                "--label",
                "a=1",
                "--label",
                "b=x=y");

        assertSucceeds(run, "created stream orders: 3 replicas, leader n1\n");
        assertThat(server.find("orders").settings)
                .isEqualTo(StreamSettings.newBuilder()
                        .setReplicas(3)
                        .setMaxRecordBytes(100)
                        .putLabels("a", "1")
                        .putLabels("b", "x=y")
                        .build());
    }

    @Test
    void creatingAgainSucceedsWithTheSameSettingsAndConflictsWithOthers() {
        run("stream", "create", "orders");

        assertSucceeds(run("stream", "create", "orders"), "stream orders exists already, with these settings\n");
        assertFails(run("stream", "create", "orders", "--replicas", "5"), 4, "exists with other settings");
    }

    @Test
    void createdStreamIsOneJsonObject() {
        assertThat(run("stream", "create", "orders", "-o", "json").out())
                .startsWith("{\"name\":\"orders\",")
                .contains("\"replicas\":1", "\"leader\":\"n1\"", "\"labels\":{}", "\"created\":true")
                .endsWith("}\n")
                .containsOnlyOnce("\n");
    }

    @Test
    void badNamesAreRefusedAsWrongUse() {
        assertFails(run("stream", "create", "../x"), 2, "name: not a name");
    }

    @Test
    void listPagesAndFilters() {
        for (String name : new String[] {"a/1", "a/2", "a/3", "b"}) {
            server.create(name);
        }

        assertThat(run("stream", "list").out().lines())
                .hasSize(5)
                .first()
                .asString()
                .startsWith("NAME");
        assertThat(run("stream", "list", "a/").out())
                .contains("a/1", "a/2", "a/3")
                .doesNotContain("b ");
        assertThat(run("stream", "list", "-o", "json").out().lines())
                .hasSize(4)
                .allMatch(line -> line.startsWith("{\"name\":") && line.endsWith("}"));
        assertThat(run("stream", "list", "none", "-o", "json").out()).isEmpty();
    }

    @Test
    void describeShowsBoundsAndLabels() {
        server.create(
                "orders",
                StreamSettings.newBuilder().setReplicas(1).putLabels("k", "v").build());
        new CommandRun().input("a\nb\n").run(server, "append", "orders", "--expected-end", "0");

        assertThat(run("stream", "describe", "orders").out())
                .contains("name              orders\n")
                .contains("replicas          1 (n1)\n")
                .contains("labels            k=v\n")
                .contains("end offset        2\n")
                .contains("stored            4.0 KiB on each replica\n")
                .contains("last record       2023-11-14T22:13:20.000Z\n");
        assertThat(run("stream", "describe", "orders", "-o", "json").out())
                .contains("\"start_offset\":0,\"end_offset\":2,\"stored_bytes\":4096", "\"labels\":{\"k\":\"v\"}");
    }

    @Test
    void updateChangesWhatIsNamedAndChecksTheRevision() {
        server.create(
                "orders",
                StreamSettings.newBuilder()
                        .setMaxRecordBytes(5)
                        .putLabels("old", "x")
                        .build());

        CommandRun run = run(
                "stream", "update", "orders", "--label", "new=y", "--remove-label", "old", "--expected-revision", "1");

        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(run.out()).contains("labels            new=y\n", "revision          2\n");
        assertThat(server.find("orders").settings.getMaxRecordBytes()).isEqualTo(5);
        assertFails(
                run("stream", "update", "orders", "--max-record-bytes", "9", "--expected-revision", "1"),
                4,
                "the revision is 2");
        assertThat(server.find("orders").settings.getMaxRecordBytes()).isEqualTo(5);
    }

    @Test
    void deleteNeedsYesWithoutATerminal() {
        server.create("orders");

        assertFails(run("stream", "delete", "orders"), 2, "needs --yes");
        assertThat(server.exists("orders")).isTrue();
        assertSucceeds(run("stream", "delete", "orders", "--yes"), "deleted stream orders\n");
        assertThat(server.exists("orders")).isFalse();
    }

    @Test
    void deleteAsksOnATerminal() {
        server.create("orders");

        for (String answer : new String[] {"", "\n", "n\n", "yesterday\n"}) {
            CommandRun refused = new CommandRun()
                    .terminals(true, false, false)
                    .input(answer)
                    .run(server, "stream", "delete", "orders");
            assertThat(refused.exitCode()).isEqualTo(1);
            assertThat(refused.err()).contains("Delete stream orders").contains("tidemark: 'orders' was not deleted");
            assertThat(server.exists("orders")).isTrue();
        }
        CommandRun confirmed =
                new CommandRun().terminals(true, false, false).input("Y\n").run(server, "stream", "delete", "orders");
        assertThat(confirmed.exitCode()).isZero();
        assertThat(server.exists("orders")).isFalse();
    }

    @Test
    void sealedStreamTellsItsEndAndTakesNoMore() {
        server.create("orders");

        assertSucceeds(run("stream", "seal", "orders"), "sealed stream orders at its end, offset 0\n");
        assertThat(run("stream", "seal", "orders", "-o", "json").out())
                .isEqualTo("{\"name\":\"orders\",\"sealed\":true,\"end_offset\":0}\n");
        assertFails(new CommandRun().input("x\n").run(server, "append", "orders"), 4, "sealed");
    }

    @Test
    void unknownStreamsSayWhatToDo() {
        for (String[] arguments : new String[][] {
            {"stream", "describe", "nope"},
            {"stream", "update", "nope", "--label", "a=b"},
            {"stream", "delete", "nope", "--yes"},
            {"stream", "seal", "nope"},
            {"append", "nope"},
            {"read", "nope"},
            {"tail", "nope"},
            {"truncate", "nope", "--before", "0"}
        }) {
            assertFails(run(arguments), 1, "no stream named 'nope'; create it with 'tidemark stream create nope'");
        }
    }

    @Test
    void clusterStatusShowsServersThatAreDown() {
        assertThat(run("cluster", "status").out())
                .startsWith("cluster test: 2 servers, 0 streams, catalog leader n1, as seen by n1\n")
                .containsPattern("n1 +127.0.0.1:\\d+ +127.0.0.1:7421 +up +2 +1 +0.1.0\n")
                .containsPattern("n2 .* not reachable +0 +0\n");
        assertThat(run("cluster", "status", "-o", "json").out())
                .startsWith(
                        "{\"cluster_name\":\"test\",\"answered_by\":\"n1\",\"catalog_leader\":\"n1\",\"streams\":0,")
                .contains("\"server_id\":\"n2\"", "\"reachable\":false", "\"version\":null");
    }

    @Test
    void serverErrorsMapToTheirExitCodes() {
        assertExit(Status.Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, 2);
        assertExit(Status.Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_TOO_LARGE, 2);
        assertExit(Status.Code.UNIMPLEMENTED, ErrorReason.ERROR_REASON_UNKNOWN_FIELD, 1);
        assertExit(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_STREAM_NOT_FOUND, 1);
        assertExit(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_SEALED, 4);
        assertExit(Status.Code.ABORTED, ErrorReason.ERROR_REASON_END_CONFLICT, 4);
        assertExit(Status.Code.UNAVAILABLE, ErrorReason.ERROR_REASON_NO_LEADER, 5);
        assertExit(Status.Code.RESOURCE_EXHAUSTED, ErrorReason.ERROR_REASON_OVERLOADED, 5);
        assertExit(Status.Code.UNAVAILABLE, ErrorReason.ERROR_REASON_SHUTTING_DOWN, 5);
        assertExit(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_NOT_ENOUGH_SERVERS, 5);
        assertExit(Status.Code.UNKNOWN, ErrorReason.ERROR_REASON_INDETERMINATE, 6);
        assertExit(Status.Code.DATA_LOSS, ErrorReason.ERROR_REASON_CORRUPT, 1);
        assertExit(Status.Code.INTERNAL, ErrorReason.ERROR_REASON_INTERNAL, 1);
    }

    @Test
    void noServerIsUnavailable() {
        server.create("orders");
        String endpoint = server.endpoint();
        server.close();

        CommandRun run = new CommandRun().run("--server", endpoint, "--timeout", "200ms", "stream", "list");
        assertFails(run, 5, endpoint);
    }

    private void assertExit(Status.Code code, ErrorReason reason, int exitCode) {
        server.failAdmin(FakeServer.refusal(code, reason, "planned failure"));
        CommandRun run = run("stream", "describe", "orders", "--timeout", "200ms");
        assertThat(run.exitCode()).as("%s: %s", reason, run).isEqualTo(exitCode);
        assertThat(run.err()).startsWith("tidemark: ").containsOnlyOnce("\n");
        assertThat(run.out()).isEmpty();
    }

    private CommandRun run(String... arguments) {
        return new CommandRun().run(server, arguments);
    }

    private static void assertSucceeds(CommandRun run, String out) {
        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(run.out()).isEqualTo(out);
        assertThat(run.err()).isEmpty();
    }

    static void assertFails(CommandRun run, int exitCode, String message) {
        assertThat(run.exitCode()).as(run.toString()).isEqualTo(exitCode);
        assertThat(run.err()).startsWith("tidemark: ").contains(message).containsOnlyOnce("\n");
    }
}
