package tidemark.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PlacesTest {
    private static final Instant NOW = Instant.parse("2024-05-01T12:00:00Z");

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1234, 1234",
        "007, 7",
        "' 42 ', 42",
        "9223372036854775807, 9223372036854775807",
    })
    void digitsAreAnOffset(String typed, long offset) throws MalformedTextException {
        assertThat(Places.parse(typed, NOW)).isEqualTo(Place.offset(offset));
    }

    @ParameterizedTest
    @CsvSource({
        "@0, 1970-01-01T00:00:00Z",
        "@1700000000000, 2023-11-14T22:13:20Z",
        "2024-02-29, 2024-02-29T00:00:00Z",
        "2024-05-01T10:00:00Z, 2024-05-01T10:00:00Z",
        "2024-05-01t10:00:00z, 2024-05-01T10:00:00Z",
        "2024-05-01 10:00:00Z, 2024-05-01T10:00:00Z",
        "2024-05-01T10:00:00.123456789Z, 2024-05-01T10:00:00.123Z",
        "2024-05-01T10:00:00+02:00, 2024-05-01T08:00:00Z",
        "2024-05-01T00:30:00-05:30, 2024-05-01T06:00:00Z",
        "-5m, 2024-05-01T11:55:00Z",
        "-1h30m, 2024-05-01T10:30:00Z",
        "-250ms, 2024-05-01T11:59:59.750Z",
        "5m ago, 2024-05-01T11:55:00Z",
        "'2w  ago', 2024-04-17T12:00:00Z",
        "1d ago, 2024-04-30T12:00:00Z",
    })
    void timesAreAbsoluteOrAgo(String typed, Instant time) throws MalformedTextException {
        assertThat(Places.parse(typed, NOW)).isEqualTo(Place.time(time.toEpochMilli()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"start", "START", " start "})
    void startIsAWord(String typed) throws MalformedTextException {
        assertThat(Places.parse(typed, NOW)).isEqualTo(Place.START);
    }

    @ParameterizedTest
    @ValueSource(strings = {"end", "End"})
    void endIsAWord(String typed) throws MalformedTextException {
        assertThat(Places.parse(typed, NOW)).isEqualTo(Place.END);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "-",
                "-1",
                "-10",
                "+5",
                "1.5",
                "1e3",
                "0x10",
                "12a",
                "@",
                "@-1",
                "@1.5",
                "@x",
                "9223372036854775808",
                "@9223372036854775808",
                "2024-5-1",
                "2024-13-01",
                "2023-02-29",
                "2024-05-01T10:00",
                "2024-05-01T10:00:00",
                "2024-05-01T25:00:00Z",
                "2024-05-01T10:00:60Z",
                "2024-05-01T10:00:00+2",
                "10:00:00Z",
                "5m",
                "ago",
                "m ago",
                "5 m",
                "-5",
                "-5y",
                "-5m5",
                "--5m",
                "-999999999999w",
                "begin",
                "last",
                "latest",
                "now",
                "١٢",
                "2024-05-01Z"
            })
    void anythingElseIsRefusedWithWhatIsAccepted(String typed) {
        assertThatThrownBy(() -> Places.parse(typed, NOW))
                .isInstanceOf(MalformedTextException.class)
                .hasMessageContaining("'" + typed + "'")
                .hasMessageMatching("(?s).*(RFC 3339|the largest is).*");
    }
}
