package tidemark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tidemark.cli.command.ReaderGoneException;
import tidemark.v1.Record;

class ReadCommandsTest {
    private FakeServer server;

    @BeforeEach
    void start() throws IOException {
        server = new FakeServer();
        server.create("orders");
        for (int i = 0; i < 20; i++) {
            append("r" + i);
        }
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void readPrintsAllByDefault() {
        assertLines(run("read", "orders"), 0, 20);
    }

    @Test
    void readIsBoundedByOffsetsTimesAndCount() {
        assertLines(run("read", "orders", "--from", "5", "--to", "8"), 5, 8);
        assertLines(run("read", "orders", "--from", "18", "--limit", "1"), 18, 19);
        assertLines(run("read", "orders", "--from", "@1700000003000", "--to", "2023-11-14T22:13:25Z"), 3, 5);
        assertLines(run("read", "orders", "--from", "end"), 20, 20);
        assertLines(run("read", "orders", "--from", "20"), 20, 20);
        // The clock of the test is an hour after the first record, and records are a second apart.
        assertLines(run("read", "orders", "--from", "-59m50s"), 10, 20);
        assertLines(run("read", "orders", "--from", "59m50s ago", "--to", "end"), 10, 20);
    }

    @Test
    void tailPrintsTheLastTenOrAsManyAsAskedFor() {
        assertLines(run("tail", "orders"), 10, 20);
        assertLines(run("tail", "orders", "-n", "3"), 17, 20);
        assertLines(run("tail", "orders", "-n", "100"), 0, 20);
        assertLines(run("tail", "orders", "-n", "0"), 20, 20);
        assertLines(run("tail", "orders", "--from", "start"), 0, 20);
    }

    @Test
    void outsideOfTheRangeIsExitThreeWithTheRange() {
        assertThat(run("truncate", "orders", "--before", "5").exitCode()).isZero();

        StreamCommandsTest.assertFails(run("read", "orders", "--from", "2"), 3, "5");
        StreamCommandsTest.assertFails(run("read", "orders", "--from", "21"), 3, "20");
        assertLines(run("read", "orders"), 5, 20);
    }

    @Test
    void truncateSaysWhatItRemoves() {
        assertPrints(
                run("truncate", "orders", "--before", "7", "--dry-run"),
                "would remove 7 records (offsets 0 to 6) from orders, which would start at offset 7 and free 7.0 KiB on each"
                        + " replica\n");
        assertThat(server.payloads("orders")).hasSize(20);
        assertPrints(
                run("truncate", "orders", "--before", "2023-11-14T22:13:27Z"),
                "removed 7 records (offsets 0 to 6) from orders, which starts at offset 7 now; frees 7.0 KiB on each replica\n");
        assertPrints(
                run("truncate", "orders", "--before", "3"), "nothing to remove from orders: it starts at offset 7\n");
        assertPrints(
                run("truncate", "orders", "--before", "end", "-o", "json"),
                "{\"stream\":\"orders\",\"dry_run\":false,\"removed_records\":13,\"previous_start_offset\":7,"
                        + "\"start_offset\":20,\"freed_bytes\":13312}\n");
        StreamCommandsTest.assertFails(run("truncate", "orders", "--before", "21"), 3, "20");
    }

    @Test
    void jsonIsOneObjectARecord() {
        assertThat(run("tail", "orders", "-n", "2", "-o", "json").out().lines())
                .containsExactly(
                        "{\"offset\":18,\"timestamp_ms\":1700000018000,\"time\":\"2023-11-14T22:13:38.000Z\","
                                + "\"payload\":\"r18\",\"payload_encoding\":\"utf8\"}",
                        "{\"offset\":19,\"timestamp_ms\":1700000019000,\"time\":\"2023-11-14T22:13:39.000Z\","
                                + "\"payload\":\"r19\",\"payload_encoding\":\"utf8\"}");
    }

    @Test
    void modesAndReplicasCanBeChosen() {
        for (String mode : new String[] {"leader", "linearizable", "any", "ANY"}) {
            assertLines(run("read", "orders", "--mode", mode), 0, 20);
        }
        assertLines(run("read", "orders", "--replica", server.endpoint()), 0, 20);
        assertLines(run("tail", "orders", "--replica", server.endpoint(), "--mode", "any"), 10, 20);
    }

    /** Goal: what was appended comes back. Method: random bytes, each way of cutting, its counterpart when reading. */
    @Test
    void whatWasAppendedComesBackByteForByte() {
        for (String[] per : new String[][] {{"line", "line"}, {"null", "null"}, {"file", "none"}}) {
            for (long seed = 0; seed < 5; seed++) {
                byte[] bytes = new byte[1 + new Random(seed).nextInt(400_000)];
                new Random(seed).nextBytes(bytes);
                bytes[bytes.length - 1] = (byte) (per[0].equals("line") ? '\n' : 0);
                server.create("bytes");

                CommandRun append = new CommandRun().input(bytes).run(server, "append", "bytes", "--per", per[0]);
                assertThat(append.exitCode()).as(append.toString()).isZero();

                assertThat(run("read", "bytes", "-o", "raw", "--per", per[1]).outBytes())
                        .as("--per %s, seed %d", per[0], seed)
                        .isEqualTo(bytes);
                assertThat(run("read", "bytes", "--per", per[1]).outBytes()).isEqualTo(bytes);
            }
        }
    }

    @Test
    void aReaderThatGoesAwayEndsReadingQuietly() {
        int[] written = {0};
        OutputStream head = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new ReaderGoneException(new IOException("Broken pipe"));
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                written[0]++;
                throw new ReaderGoneException(new IOException("Broken pipe"));
            }
        };

        for (String[] arguments : new String[][] {
            {"read", "orders"}, {"tail", "orders", "-f"}, {"stream", "list"}, {"stream", "describe", "orders"}
        }) {
            CommandRun run = new CommandRun().output(head).run(server, arguments);
            assertThat(run.exitCode()).as(run.toString()).isZero();
            assertThat(run.err()).isEmpty();
        }
        assertThat(written[0]).isEqualTo(4);
    }

    @Test
    void anOutputThatFailsIsAnError() {
        OutputStream full = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("No space left on device");
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                throw new IOException("No space left on device");
            }
        };

        StreamCommandsTest.assertFails(
                new CommandRun().output(full).run(server, "read", "orders"), 1, "No space left on device");
    }

    @Test
    void followingPrintsNewRecordsAtOnceAndEndsWithTheStream() throws Exception {
        FollowedOutput output = new FollowedOutput();
        CommandRun run = new CommandRun().output(output);
        CompletableFuture<CommandRun> following =
                CompletableFuture.supplyAsync(() -> run.run(server, "tail", "orders", "-f", "-n", "1"));

        output.await("r19\n");
        append("new");
        output.await("new\n");
        append("newer");
        output.await("newer\n");
        server.seal("orders");

        assertThat(following.get(60, TimeUnit.SECONDS).exitCode())
                .as(run.toString())
                .isZero();
        assertThat(run.err()).isEmpty();
    }

    private void append(String payload) {
        server.append(
                "orders",
                List.of(Record.newBuilder()
                        .setPayload(ByteString.copyFromUtf8(payload))
                        .build()),
                null);
    }

    private CommandRun run(String... arguments) {
        return new CommandRun().run(server, arguments);
    }

    private static void assertLines(CommandRun run, int from, int to) {
        StringBuilder lines = new StringBuilder();
        IntStream.range(from, to).forEach(i -> lines.append('r').append(i).append('\n'));
        assertPrints(run, lines.toString());
    }

    private static void assertPrints(CommandRun run, String out) {
        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(run.out()).isEqualTo(out);
        assertThat(run.err()).isEmpty();
    }

    /** An output whose content another thread waits for. */
    private static final class FollowedOutput extends OutputStream {
        private final BlockingQueue<String> writes = new LinkedBlockingQueue<>();

        @Override
        public void write(int b) {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] source, int offset, int length) {
            writes.add(new String(source, offset, length, StandardCharsets.UTF_8));
        }

        /** Waits until exactly this was written behind what was awaited before. */
        void await(String expected) throws InterruptedException {
            StringBuilder text = new StringBuilder();
            while (text.length() < expected.length()) {
                String write = writes.poll(60, TimeUnit.SECONDS);
                assertThat(write).as("after '%s'", text).isNotNull();
                text.append(write);
            }
            assertThat(text).hasToString(expected);
        }
    }
}
