package tidemark.cli.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RecordSplitterTest {
    private static final int LIMIT = 1_000_000;

    @Test
    void lineEndsAreRemovedAndCarriageReturnsStay() throws Exception {
        assertThat(lines("a\nbb\r\n\nccc\n")).containsExactly("a", "bb\r", "", "ccc");
    }

    @Test
    void lastLineWithoutNewlineCounts() throws Exception {
        assertThat(lines("a\nb")).containsExactly("a", "b");
        assertThat(lines("a\nb\n")).containsExactly("a", "b");
    }

    @Test
    void emptyLinesAreEmptyRecordsAndAnEmptyInputIsNone() throws Exception {
        assertThat(lines("\n")).containsExactly("");
        assertThat(lines("\n\n")).containsExactly("", "");
        assertThat(lines("")).isEmpty();
    }

    @Test
    void zeroBytesCutAndNewlinesStay() throws Exception {
        assertThat(split("a\nb\0\0c", Cut.NULL)).containsExactly("a\nb", "", "c");
        assertThat(split("", Cut.NULL)).isEmpty();
    }

    @Test
    void aFileIsOneRecordEvenIfEmpty() throws Exception {
        assertThat(split("a\nb\0\n", Cut.NONE)).containsExactly("a\nb\0\n");
        assertThat(split("", Cut.NONE)).containsExactly("");
    }

    @Test
    void recordsMayBeAsLongAsTheLimitAndSpanBuffers() throws Exception {
        String longest = "x".repeat(LIMIT);

        assertThat(lines(longest + "\nshort\n" + longest)).containsExactly(longest, "short", longest);
    }

    @Test
    void aLineOverTheLimitIsNamedAndNothingFollows() throws Exception {
        RecordSplitter splitter = splitter("12345\n123456\n1\n", Cut.LINE, 5);

        assertThat(splitter.next()).asString().isEqualTo("12345");
        assertThatThrownBy(splitter::next)
                .isInstanceOf(RecordTooLongException.class)
                .hasMessage("input line 2 is longer than the limit of 5 bytes for a record");
        assertThat(splitter.next()).isNull();
    }

    @Test
    void anEndlessLineIsRefusedWithoutReadingItToItsEnd() {
        long[] read = {0};
        InputStream endless = new InputStream() {
            @Override
            public int read() {
                read[0]++;
                return 'x';
            }

            @Override
            public int read(byte[] target, int offset, int length) {
                read[0] += length;
                Arrays.fill(target, offset, offset + length, (byte) 'x');
                return length;
            }
        };
        RecordSplitter splitter = new RecordSplitter(endless, "input", Cut.LINE, LIMIT);

        assertThatThrownBy(splitter::next)
                .isInstanceOf(RecordTooLongException.class)
                .hasMessageContaining("line 1");
        assertThat(read[0]).isLessThan(LIMIT + 200_000L);
    }

    @Test
    void placesFitTheUnit() {
        assertThatThrownBy(() -> splitter("12", Cut.NONE, 1).next()).hasMessageStartingWith("input is longer");
        assertThatThrownBy(() -> splitter("12", Cut.NULL, 1).next()).hasMessageStartingWith("input record 1 is longer");
    }

    @Test
    void aFailingInputIsNamed() {
        InputStream broken = new ByteArrayInputStream(new byte[1]) {
            @Override
            public int read(byte[] target) throws IOException {
                throw new IOException("Is a directory");
            }
        };

        assertThatThrownBy(() -> new RecordSplitter(broken, "logs", Cut.LINE, 5).next())
                .isInstanceOf(IOException.class)
                .hasMessage("logs: cannot be read: Is a directory");
    }

    /** Goal: any bytes, in any portions, cut as a simple scan of the whole would. Method: random inputs with many marks. */
    @Test
    void cutsAsASimpleScanDoesWhateverThePortions() throws Exception {
        for (long seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            byte[] input = new byte[random.nextInt(200_000)];
            random.nextBytes(input);
            for (int i = 0; i < input.length / 50; i++) {
                input[random.nextInt(input.length)] = (byte) (random.nextBoolean() ? '\n' : 0);
            }
            Cut cut = random.nextBoolean() ? Cut.LINE : Cut.NULL;
            int portion = 1 + random.nextInt(70_000);
            RecordSplitter splitter = new RecordSplitter(portions(input, portion, random), "input", cut, LIMIT);

            List<byte[]> expected = scan(input, cut == Cut.LINE ? (byte) '\n' : 0);
            for (byte[] record : expected) {
                assertThat(splitter.next()).as("seed %d", seed).isEqualTo(record);
            }
            assertThat(splitter.next()).as("seed %d", seed).isNull();
        }
    }

    private static List<byte[]> scan(byte[] input, byte mark) {
        List<byte[]> records = new ArrayList<>();
        ByteArrayOutputStream record = new ByteArrayOutputStream();
        for (byte b : input) {
            if (b == mark) {
                records.add(record.toByteArray());
                record.reset();
            } else {
                record.write(b);
            }
        }
        if (record.size() > 0) {
            records.add(record.toByteArray());
        }
        return records;
    }

    private static InputStream portions(byte[] input, int most, Random random) {
        return new ByteArrayInputStream(input) {
            @Override
            public int read(byte[] target, int offset, int length) {
                return super.read(target, offset, Math.min(length, 1 + random.nextInt(most)));
            }
        };
    }

    private static List<String> lines(String input) throws Exception {
        return split(input, Cut.LINE);
    }

    private static List<String> split(String input, Cut cut) throws Exception {
        RecordSplitter splitter = splitter(input, cut, LIMIT);
        List<String> records = new ArrayList<>();
        for (byte @Nullable [] record = splitter.next(); record != null; record = splitter.next()) {
            records.add(new String(record, StandardCharsets.UTF_8));
        }
        return records;
    }

    private static RecordSplitter splitter(String input, Cut cut, int limit) {
        return new RecordSplitter(
                new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)), "input", cut, limit);
    }
}
