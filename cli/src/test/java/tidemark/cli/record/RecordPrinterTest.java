package tidemark.cli.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tidemark.client.LogRecord;
import tidemark.client.StoredLogRecord;

class RecordPrinterTest {
    /** Goal: what was cut comes back byte for byte with the same mark, if the input ends with one. Method: random bytes. */
    @Test
    void printingUndoesCutting() throws Exception {
        for (Cut cut : Cut.values()) {
            for (long seed = 0; seed < 100; seed++) {
                Random random = new Random(seed);
                byte[] input = new byte[1 + random.nextInt(100_000)];
                random.nextBytes(input);
                if (cut != Cut.NONE) {
                    input[input.length - 1] = (byte) (cut == Cut.LINE ? '\n' : 0);
                }
                RecordSplitter splitter =
                        new RecordSplitter(new ByteArrayInputStream(input), "input", cut, input.length);
                ByteArrayOutputStream output = new ByteArrayOutputStream();
                RecordPrinter printer = RecordPrinter.payloads(cut);
                for (byte @Nullable [] record = splitter.next(); record != null; record = splitter.next()) {
                    printer.print(new StoredLogRecord(0, 0, LogRecord.ofOwned(record)), output);
                }

                assertThat(output.toByteArray()).as("%s, seed %d", cut, seed).isEqualTo(input);
            }
        }
    }

    @Test
    void jsonHasAllThatIsKnown() throws IOException {
        LogRecord record = LogRecord.builder()
                .payload(new byte[] {(byte) 0x80})
                .key("k")
                .header("h", "v".getBytes(StandardCharsets.UTF_8))
                .header("h", new byte[] {(byte) 0xff})
                .build();

        assertThat(json(new StoredLogRecord(7, 1_700_000_000_001L, record)))
                .isEqualTo("{\"offset\":7,\"timestamp_ms\":1700000000001,\"time\":\"2023-11-14T22:13:20.001Z\","
                        + "\"key\":\"k\",\"key_encoding\":\"utf8\","
                        + "\"headers\":[{\"name\":\"h\",\"value\":\"v\",\"value_encoding\":\"utf8\"},"
                        + "{\"name\":\"h\",\"value\":\"/w==\",\"value_encoding\":\"base64\"}],"
                        + "\"payload\":\"gA==\",\"payload_encoding\":\"base64\"}\n");
    }

    @Test
    void jsonTellsAnEmptyKeyFromNone() throws IOException {
        assertThat(json(new StoredLogRecord(0, 0, LogRecord.of("x")))).doesNotContain("key", "headers");
        assertThat(json(new StoredLogRecord(0, 0, LogRecord.builder().key("").build())))
                .contains("\"key\":\"\",\"key_encoding\":\"utf8\"");
    }

    private static String json(StoredLogRecord record) throws IOException {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        RecordPrinter.json().print(record, output);
        return output.toString(StandardCharsets.UTF_8);
    }
}
