package tidemark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tidemark.statemachine.format.Batch;
import tidemark.statemachine.format.FrameCodec;
import tidemark.statemachine.format.SegmentHeader;
import tidemark.statemachine.format.StoredBatch;
import tidemark.statemachine.model.StreamId;
import tidemark.v1.Record;
import tidemark.v1.RecordBatch;

class SegmentCommandsTest {
    private static final StreamId STREAM = new StreamId(UUID.fromString("5e0f7a52-0000-4000-8000-000000000001"));
    private static final long TIME_MS = 1_700_000_000_000L;

    @TempDir
    private Path directory;

    @Test
    void dumpShowsHeaderBatchesAndTotal() throws IOException {
        Path file = write("00000000000000000005.seg", segment(5, batch("a", "b"), batch("c")));

        CommandRun run = new CommandRun().run("segment", "dump", file.toString());

        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out().lines())
                .containsExactly(
                        "byte 44: offsets 5 to 6, 2023-11-14T22:13:20.000Z, term 3, index 7, 10 bytes",
                        "byte 114: offsets 7 to 7, 2023-11-14T22:13:20.001Z, term 3, index 8, 5 bytes",
                        "stream 5e0f7a52-0000-4000-8000-000000000001: offsets from 5, end offset 8, 2 batches, 179 bytes");
    }

    @Test
    void dumpDecodesRecordsAsReadPrintsThem() throws IOException {
        Path file = write("x.seg", segment(0, batch("a")));

        assertThat(new CommandRun()
                        .run("segment", "dump", file.toString(), "--records", "-o", "json")
                        .out()
                        .lines())
                .hasSize(3)
                .last()
                .isEqualTo("{\"stream_id\":\"5e0f7a52-0000-4000-8000-000000000001\",\"base_offset\":0,\"end_offset\":1,"
                        + "\"batches\":1,\"bytes\":109,\"findings\":[]}");
        assertThat(new CommandRun()
                        .run("segment", "dump", file.toString(), "--records")
                        .out())
                .contains("{\"offset\":0,\"timestamp_ms\":1700000000000,\"time\":\"2023-11-14T22:13:20.000Z\","
                        + "\"payload\":\"a\",\"payload_encoding\":\"utf8\"}\n");
    }

    @Test
    void verifyChecksFilesBelowADirectory() throws IOException {
        write("g/s/00000000000000000000.seg", segment(0, batch("a", "b")));
        write("g/s/00000000000000000002.seg", segment(2, batch("c")));
        write("g/s/00000000000000000002.idx", new byte[7]);

        CommandRun run = new CommandRun().run("segment", "verify", directory.toString());

        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(run.out().lines()).hasSize(2).allMatch(line -> line.startsWith("intact   "));
        assertThat(new CommandRun()
                        .run("segment", "verify", directory.toString(), "-o", "json")
                        .out())
                .contains("\"intact\":true", "\"base_offset\":2,\"end_offset\":3,\"batches\":1");
    }

    @Test
    void verifyFindsWhatIsMissingBetweenFiles() throws IOException {
        write("00000000000000000000.seg", segment(0, batch("a", "b")));
        write("00000000000000000003.seg", segment(3, batch("c")));

        CommandRun run = new CommandRun().run("segment", "verify", directory.toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("DAMAGED", "expected base offset 2", "found 3");
        assertThat(run.err()).isEqualTo("tidemark: 1 of 2 damaged\n");
    }

    @Test
    void verifyFindsAnUnfinishedFileThatHasASuccessor() throws IOException {
        byte[] whole = segment(0, batch("a"), batch("b"));
        write("00000000000000000000.seg", Arrays.copyOf(whole, whole.length - 1));
        write("00000000000000000002.seg", segment(2, batch("c")));

        CommandRun run = new CommandRun().run("segment", "verify", directory.toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("no whole frame", "DAMAGED").contains("expected base offset 1");
    }

    @Test
    void verifyComparesTheNameWithTheHeader() throws IOException {
        Path file = write("00000000000000000009.seg", segment(0, batch("a")));

        CommandRun run = new CommandRun().run("segment", "verify", file.toString());
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("expected base offset 9 from the name");
    }

    @Test
    void otherFilesAreNotSegments() throws IOException {
        for (byte[] content : new byte[][] {
            {},
            {1, 2, 3},
            new byte[1000],
            "not a segment, but quite long".repeat(9).getBytes(StandardCharsets.UTF_8)
        }) {
            Path file = write("other", content);
            CommandRun run = new CommandRun().run("segment", "dump", file.toString());

            assertThat(run.exitCode()).as(run.toString()).isEqualTo(1);
            assertThat(run.err()).startsWith("tidemark: ").contains("other").containsOnlyOnce("\n");
        }
        assertThat(new CommandRun().run("segment", "dump", directory.toString()).exitCode())
                .isEqualTo(1);
        assertThat(new CommandRun()
                        .run("segment", "dump", directory.resolve("none").toString())
                        .exitCode())
                .isEqualTo(1);
    }

    /**
     * Goal: no flipped bit goes unnoticed, and no file is changed. Method: every bit of a small file. Behind the last intact frame,
     * damage cannot be told from what a crash leaves, as only the manifest knows what counts.
     */
    @Test
    void everyFlippedBitIsFound() throws IOException {
        byte[] whole = segment(0, batch("a", "b"), batch("c"));
        int lastFrame = 114;
        for (int bit = 0; bit < whole.length * 8; bit++) {
            byte[] damaged = whole.clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            Path file = write("x.seg", damaged);

            CommandRun run = new CommandRun().run("segment", "verify", file.toString());

            boolean inLastHeader = bit / 8 >= lastFrame && bit / 8 < lastFrame + FrameCodec.HEADER_BYTES;
            if (run.exitCode() == 0) {
                assertThat(inLastHeader).as("bit %d: %s", bit, run).isTrue();
                assertThat(run.out()).contains("65 bytes from byte 114 on are no whole frame");
            } else {
                assertThat(run.exitCode()).as("bit %d: %s", bit, run).isEqualTo(1);
                assertThat(run.out()).startsWith("DAMAGED");
            }
            assertThat(Files.readAllBytes(file)).isEqualTo(damaged);
        }
    }

    /** Goal: a file cut anywhere shows the batches before the cut and a torn tail, and is not called damaged. */
    @Test
    void everyCutBehindTheHeaderIsATornTail() throws IOException {
        byte[] whole = segment(0, batch("a", "b"), batch("c"));
        for (int length = SegmentHeader.BYTES; length < whole.length; length++) {
            Path file = write("x.seg", Arrays.copyOf(whole, length));
            boolean between = length == SegmentHeader.BYTES || length == 114;

            CommandRun run = new CommandRun().run("segment", "dump", file.toString());

            assertThat(run.exitCode()).as("length %d: %s", length, run).isZero();
            assertThat(run.out()).contains(length < 114 ? "end offset 0, 0 batches" : "end offset 2, 1 batch,");
            assertThat(run.err().contains("no whole frame")).isEqualTo(!between);
        }
    }

    @Test
    void dumpGoesOnBehindDamage() throws IOException {
        byte[] damaged = segment(0, batch("a", "b"), batch("c"));
        damaged[113] ^= 1;
        Path file = write("x.seg", damaged);

        CommandRun run = new CommandRun().run("segment", "dump", file.toString(), "--records");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("byte 44: ", ", DAMAGED\n", "byte 114: ", "\"payload\":\"c\"", "end offset 3");
        assertThat(run.err()).startsWith("tidemark: ").contains("x.seg").containsOnlyOnce("\n");
    }

    /** A whole data directory, as the engine leaves it, checked against its manifests. */
    @Test
    void aDataDirectoryIsComparedWithItsManifests() throws IOException {
        String group = "c9bece6b-1c09-47e1-81ac-b5e7b95a162f";
        write("manifests/" + group + "/manifest-0000000000000000001-0000000000000000108", new byte[] {1, 2, 3});
        write("streams/" + group + "/" + STREAM + "/00000000000000000000.seg", segment(0, batch("a")));

        CommandRun run = new CommandRun().run("segment", "verify", directory.toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out())
                .startsWith("DAMAGED  group " + group)
                .contains("manifest-0000000000000000001-0000000000000000108");
        assertThat(run.err()).isEqualTo("tidemark: 1 of 1 damaged\n");
    }

    @Test
    void compressedBatchesAreNotDecoded() throws IOException {
        ByteBuffer body = ByteBuffer.wrap(new byte[] {1, 2, 3});
        Path file = write("x.seg", segment(0, Batch.of(4, 1, 100, body)));

        assertThat(new CommandRun()
                        .run("segment", "dump", file.toString(), "--records")
                        .out())
                .contains("offsets 0 to 3", "compression 1", "compressed: records are not shown");
    }

    private Path write(String name, byte[] content) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.write(file, content);
    }

    private static byte[] segment(long baseOffset, Batch... batches) {
        ByteBuffer bytes = ByteBuffer.allocate(10_000);
        new SegmentHeader(STREAM, baseOffset).encode(bytes);
        long offset = baseOffset;
        long index = 7;
        for (Batch batch : batches) {
            FrameCodec.encode(bytes, new StoredBatch(offset, TIME_MS + index - 7, 3, index, batch));
            offset += batch.recordCount();
            index++;
        }
        return Arrays.copyOf(bytes.array(), bytes.position());
    }

    private static Batch batch(String... payloads) {
        RecordBatch.Builder records = RecordBatch.newBuilder();
        for (String payload : payloads) {
            records.addRecords(Record.newBuilder().setPayload(ByteString.copyFromUtf8(payload)));
        }
        byte[] body = records.build().toByteArray();
        return Batch.of(payloads.length, 0, body.length, ByteBuffer.wrap(body));
    }
}
