package tidemark.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigFileTest {
    @TempDir
    private Path directory;

    @Test
    void linesGiveSettingsAndKnowTheirPlace() throws Exception {
        Map<Setting, Given> settings = ConfigFile.parse("f", "# comment\n\n  id =  n7 \ncluster=n7=h:1:2\r\n");
        assertThat(settings)
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        Setting.ID, new Given("n7", "f:3: id"),
                        Setting.CLUSTER, new Given("n7=h:1:2", "f:4: cluster")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "id = a~colour = blue | f:2: there is no setting 'colour' (",
                "~~client_port = 1 | f:3: there is no setting 'client_port'; did you mean 'client-port'?",
                "dta = x | f:1: there is no setting 'dta'; did you mean 'data'?",
                "id = a~id = b | f:2: id: is given twice; keep one",
                "id | f:1: expected `key = value`, found 'id'",
                "id = | f:1: id: has no value; remove the line to take the default",
            })
    void whatIsWrongIsSaidWithItsLine(String content, String message) {
        assertThatThrownBy(() -> ConfigFile.parse("f", content.replace('~', '\n')))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith(message);
    }

    @Test
    void aFileThatCannotBeReadIsNamed() throws Exception {
        Path missing = directory.resolve("missing");
        assertThatThrownBy(() -> ConfigFile.read(missing))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith(missing + ": there is no such file");
        Path binary = Files.write(directory.resolve("binary"), new byte[] {'i', 'd', '=', (byte) 0xff});
        assertThatThrownBy(() -> ConfigFile.read(binary))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("is not UTF-8 text");
        Path huge = Files.write(directory.resolve("huge"), new byte[ConfigFile.BYTES_MAX + 1]);
        assertThatThrownBy(() -> ConfigFile.read(huge))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("has more than");
        assertThatThrownBy(() -> ConfigFile.read(directory))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith(directory.toString());
    }

    @Test
    void theSampleChangesNothing() throws Exception {
        assertThat(ConfigFile.parse("sample", SampleFile.text())).isEmpty();
    }

    @Test
    void theSampleHasEverySettingAndItsDefaultsAreTheDefaults() throws Exception {
        String uncommented = SampleFile.text()
                .lines()
                .filter(line -> line.matches("#[a-z-]+ = .*"))
                .map(line -> line.substring(1))
                .collect(Collectors.joining("\n"));
        Map<Setting, Given> settings = ConfigFile.parse("sample", uncommented);
        assertThat(settings.keySet()).containsExactly(Setting.values());
        settings.keySet().removeIf(setting -> setting.defaultText().isEmpty());
        assertThat(ConfigReader.read(Map.of(), settings, Optional.empty()))
                .isEqualTo(ConfigReader.read(Map.of(), Map.of(), Optional.empty()));
    }

    @Test
    void theSampleFitsATerminal() {
        assertThat(SampleFile.text().lines())
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(110));
    }
}
