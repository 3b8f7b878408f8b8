package tidemark.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SpansTest {
    @ParameterizedTest
    @CsvSource({
        "0s, PT0S",
        "500ms, PT0.5S",
        "30s, PT30S",
        "5m, PT5M",
        "1h30m, PT1H30M",
        "1H, PT1H",
        "7d, P7D",
        "2w, P14D",
        "1d1ms, P1DT0.001S",
        "36525d, P36525D",
    })
    void numbersWithUnitsAddUp(String typed, Duration span) throws MalformedTextException {
        assertThat(Spans.parse(typed)).isEqualTo(span);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5", "m", "-5m", "5 m", "1.5h", "5x", "5m3", "PT5M", "1h 30m", "1234567890123s"})
    void anythingElseIsRefusedWithWhatIsAccepted(String typed) {
        assertThatThrownBy(() -> Spans.parse(typed))
                .isInstanceOf(MalformedTextException.class)
                .hasMessageContaining("'" + typed + "'")
                .hasMessageContaining(Spans.ACCEPTED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"36526d", "999999999999w", "36525d1ms"})
    void moreThanACenturyIsRefused(String typed) {
        assertThatThrownBy(() -> Spans.parse(typed))
                .isInstanceOf(MalformedTextException.class)
                .hasMessageContaining("100 years");
    }
}
