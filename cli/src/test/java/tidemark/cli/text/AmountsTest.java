package tidemark.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class AmountsTest {
    @Test
    void oneIsSingular() {
        assertThat(Amounts.count(0, "record")).isEqualTo("0 records");
        assertThat(Amounts.count(1, "record")).isEqualTo("1 record");
        assertThat(Amounts.count(2, "record")).isEqualTo("2 records");
    }

    @Test
    void sizesGetTheUnitThatKeepsThemShort() {
        assertThat(Amounts.bytes(1)).isEqualTo("1 byte");
        assertThat(Amounts.bytes(1023)).isEqualTo("1023 bytes");
        assertThat(Amounts.bytes(1536)).isEqualTo("1.5 KiB");
        assertThat(Amounts.bytes(1L << 30)).isEqualTo("1.0 GiB");
        assertThat(Amounts.bytes(Long.MAX_VALUE)).isEqualTo("8.0 EiB");
    }

    @Test
    void timesAlwaysHaveMilliseconds() {
        assertThat(Amounts.time(0)).isEqualTo("1970-01-01T00:00:00.000Z");
        assertThat(Amounts.time(1_700_000_000_000L)).isEqualTo("2023-11-14T22:13:20.000Z");
        assertThat(Amounts.time(1_700_000_000_007L)).isEqualTo("2023-11-14T22:13:20.007Z");
    }

    @Test
    void tableColumnsAlignAndLinesEndWithoutBlanks() {
        Table table = new Table("NAME", "N");
        table.row("a", "1");
        table.row("longer name", "");

        assertThat(table).hasToString("NAME         N\na            1\nlonger name\n");
        assertThatThrownBy(() -> table.row("one")).isInstanceOf(IllegalArgumentException.class);
    }
}
