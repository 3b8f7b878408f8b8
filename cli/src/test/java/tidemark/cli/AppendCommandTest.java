package tidemark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tidemark.v1.Effect;
import tidemark.v1.ErrorDetail;
import tidemark.v1.ErrorReason;
import tidemark.v1.Record;
import tidemark.v1.StreamSettings;

class AppendCommandTest {
    private FakeServer server;

    @TempDir
    private Path directory;

    @BeforeEach
    void start() throws IOException {
        server = new FakeServer();
        server.create("orders");
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void aRecordALineFromStandardInput() {
        assertPrints(
                input("a\n\nb\r\nc").run(server, "append", "orders"), "appended 4 records to orders: offsets 0 to 3\n");
        assertThat(server.payloads("orders")).containsExactly("a", "", "b\r", "c");
    }

    @Test
    void manyRecordsStayInOrder() {
        String lines =
                IntStream.range(0, 50_000).mapToObj(i -> "record " + i + "\n").collect(Collectors.joining());

        assertPrints(
                input(lines).run(server, "append", "orders"), "appended 50000 records to orders: offsets 0 to 49999\n");
        assertThat(String.join("\n", server.payloads("orders")) + "\n").isEqualTo(lines);
    }

    @Test
    void nothingIsFineToo() {
        assertPrints(input("").run(server, "append", "orders"), "appended 0 records to orders\n");
        assertPrints(
                input("").run(server, "append", "orders", "-o", "json"), "{\"stream\":\"orders\",\"records\":0}\n");
    }

    @Test
    void resultIsOneJsonObject() {
        assertPrints(input("a\n").run(server, "append", "orders"), "appended 1 record to orders: offset 0\n");
        assertPrints(
                input("a\nb\n").run(server, "append", "orders", "-o", "json"),
                "{\"stream\":\"orders\",\"records\":2,\"first_offset\":1,\"last_offset\":2}\n");
    }

    @Test
    void filesOneAfterAnotherWithStandardInputBetween() throws IOException {
        Path one = Files.writeString(directory.resolve("one"), "1\n2");
        Path two = Files.writeString(directory.resolve("two"), "3\n");

        input("in\n").run(server, "append", "orders", one.toString(), "-", two.toString());

        assertThat(server.payloads("orders")).containsExactly("1", "2", "in", "3");
    }

    @Test
    void aMissingFileIsFoundBeforeAnythingIsSent() throws IOException {
        Path one = Files.writeString(directory.resolve("one"), "1\n");

        StreamCommandsTest.assertFails(
                new CommandRun()
                        .run(
                                server,
                                "append",
                                "orders",
                                one.toString(),
                                directory.resolve("two").toString()),
                2,
                "two: no such file; nothing was appended");
        StreamCommandsTest.assertFails(
                new CommandRun().run(server, "append", "orders", one.toString(), directory.toString()),
                2,
                "is a directory; nothing was appended");
        assertThat(server.payloads("orders")).isEmpty();
    }

    @Test
    void zeroBytesOrWholeFilesCutToo() throws IOException {
        byte[] binary = new byte[300_000];
        new Random(7).nextBytes(binary);
        Path file = Files.write(directory.resolve("binary"), binary);

        new CommandRun().run(server, "append", "orders", "--per", "file", file.toString());
        assertThat(server.records("orders").get(0).getRecord().getPayload().toByteArray())
                .isEqualTo(binary);

        input("a\nb\0c").run(server, "append", "orders", "--per", "null");
        assertThat(server.payloads("orders").subList(1, 3)).containsExactly("a\nb", "c");
    }

    @Test
    void keyAndHeadersGoWithEachRecord() {
        input("a\nb\n")
                .run(
                        server,
                        "append",
                        "orders",
                        "--key",
                        "k",
                        "--header",
                        "h=1",
                        "--header",
                        "h=x=y",
                        "--header",
                        "e=");

        assertThat(server.records("orders")).hasSize(2).allSatisfy(stored -> {
            Record record = stored.getRecord();
            assertThat(record.getKey().toStringUtf8()).isEqualTo("k");
            assertThat(record.getHeadersList())
                    .map(header -> header.getName() + "=" + header.getValue().toStringUtf8())
                    .containsExactly("h=1", "h=x=y", "e=");
        });
        assertThat(server.records("orders").get(0).getRecord().hasKey()).isTrue();
    }

    @Test
    void aLineOverTheStreamsLimitIsNamedAndNothingAfterItIsSent() throws IOException {
        server.create("short", StreamSettings.newBuilder().setMaxRecordBytes(10).build());
        Path file = Files.writeString(directory.resolve("log"), "1\n2\n12345678901\n4\n");

        CommandRun run = new CommandRun().run(server, "append", "short", file.toString());

        StreamCommandsTest.assertFails(
                run,
                2,
                "log line 3 is longer than the limit of 10 bytes for a record; nothing after it was sent; "
                        + "2 records appended (offsets 0 to 1)");
        assertThat(server.payloads("short")).containsExactly("1", "2");
    }

    @Test
    void keyAndHeadersCountAgainstTheLimit() {
        server.create("short", StreamSettings.newBuilder().setMaxRecordBytes(10).build());

        StreamCommandsTest.assertFails(
                input("1234567890\n").run(server, "append", "short", "--key", "k"), 2, "limit of 9 bytes");
        StreamCommandsTest.assertFails(
                input("\n").run(server, "append", "short", "--key", "12345678901"), 2, "key and headers have 11 bytes");
        assertThat(input("123456789\n")
                        .run(server, "append", "short", "--key", "k")
                        .exitCode())
                .isZero();
    }

    @Test
    void aFailingInputSaysHowMuchWasAppended() {
        ByteArrayInputStream broken = new ByteArrayInputStream("a\nb\n".getBytes(StandardCharsets.UTF_8)) {
            @Override
            public int read(byte[] target) throws IOException {
                int read = super.read(target);
                if (read < 0) {
                    throw new IOException("Input/output error");
                }
                return read;
            }
        };

        StreamCommandsTest.assertFails(
                new CommandRun().input(broken).run(server, "append", "orders"),
                1,
                "standard input: cannot be read: Input/output error; nothing after it was sent; 2 records appended");
    }

    @Test
    void expectedEndAppendsAllOrNothing() {
        assertPrints(
                input("a\nb\n").run(server, "append", "orders", "--expected-end", "0"),
                "appended 2 records to orders: offsets 0 to 1\n");
        StreamCommandsTest.assertFails(
                input("c\n").run(server, "append", "orders", "--expected-end", "1"), 4, "the end is 2");
        assertThat(server.payloads("orders")).containsExactly("a", "b");
    }

    @Test
    void expectedEndIsForOneBatch() {
        StreamCommandsTest.assertFails(
                input("\n".repeat(65_537)).run(server, "append", "orders", "--expected-end", "0"), 2, "65536");
        StreamCommandsTest.assertFails(
                input(("x".repeat(600_000) + "\n").repeat(2)).run(server, "append", "orders", "--expected-end", "0"),
                2,
                "1 MiB");
        assertThat(server.payloads("orders")).isEmpty();
    }

    @Test
    void indeterminateSaysHowManyAreAppendedAndHowManyUnknown() {
        server.failAppendsBeyond(
                3,
                FakeServer.failure(
                        Status.Code.UNKNOWN,
                        ErrorDetail.newBuilder()
                                .setReason(ErrorReason.ERROR_REASON_INDETERMINATE)
                                .setEffect(Effect.EFFECT_INDETERMINATE)
                                .build(),
                        "the leader was lost"));
        input("a\nb\nc\n").run(server, "append", "orders", "--expected-end", "0");

        CommandRun run = input("d\n").run(server, "append", "orders", "--timeout", "300ms");

        StreamCommandsTest.assertFails(run, 6, "0 records appended, the next 1 unknown");
        CommandRun json = input("d\n").run(server, "append", "orders", "--timeout", "300ms", "-o", "json");
        assertThat(json.exitCode()).isEqualTo(6);
        assertThat(json.out())
                .startsWith("{\"stream\":\"orders\",\"records\":0,\"unknown\":1,\"not_written\":0,\"error\":");
    }

    @Test
    void refusalSaysThatNothingWasWritten() {
        server.seal("orders");

        StreamCommandsTest.assertFails(input("a\nb\n").run(server, "append", "orders"), 4, "0 records appended");
        assertThat(server.payloads("orders")).isEmpty();
    }

    @Test
    void anInterruptTellsHowFarItCame() {
        CommandRun run = new CommandRun();
        boolean[] asked = {false};
        ByteArrayInputStream interrupting = new ByteArrayInputStream("a\nb\n".getBytes(StandardCharsets.UTF_8)) {
            @Override
            public int read(byte[] target) throws IOException {
                int read = super.read(target);
                if (read < 0 && !asked[0]) {
                    asked[0] = true;
                    run.interrupts().forEach(Runnable::run);
                }
                return read;
            }
        };
        run.input(interrupting).run(server, "append", "orders");

        assertThat(asked[0]).isTrue();
        assertThat(run.err()).startsWith("tidemark: interrupted; ").contains("appended");
        assertThat(run.interrupts()).isEmpty();
    }

    @Test
    void progressIsForTerminals() {
        String lines = "x\n".repeat(10_000);

        CommandRun quiet = input(lines).run(server, "append", "orders");
        assertThat(quiet.err()).isEmpty();

        // The clock of the test stands still, so that nothing is drawn, and nothing is left behind.
        CommandRun terminal = input(lines).terminals(true, true, true).run(server, "append", "orders");
        assertThat(terminal.err()).isEmpty();
    }

    private static CommandRun input(String text) {
        return new CommandRun().input(text);
    }

    private static void assertPrints(CommandRun run, String out) {
        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(run.out()).isEqualTo(out);
        assertThat(run.err()).isEmpty();
    }
}
