package tidemark.statemachine.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tidemark.statemachine.model.StreamEntry.StreamSettings;

/** The rules for names and settings. */
class StreamRulesTest {
    @ParameterizedTest
    @ValueSource(strings = {"a", "Z", "0", "orders", "tenant-a/orders", "a.b_c-d", "a-", "a.", "a/b/c", "1/2", "a..b"})
    void goodNames(String name) {
        assertThat(StreamName.problem(name)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "'', is empty",
        "' ', character 1 is U+0020",
        "., character 1 is '.'",
        "../x, character 1 is '.'",
        "a/../x, character 3 is '.'",
        "a/./x, character 3 is '.'",
        "/a, character 1 is '/'",
        "a//b, character 3 is '/'",
        "a/, ends with '/'",
        "-a, character 1 is '-'",
        "_a, character 1 is '_'",
        "a/-b, character 3 is '-'",
        "a b, character 2 is U+0020",
        "a\\b, character 2 is '\\'",
        "a:b, character 2 is ':'",
        "a*, character 2 is '*'",
        "é, character 1 is U+00E9",
        "aé, character 2 is U+00E9",
    })
    void badNamesAreSaidToBeBadWhereTheyAre(String name, String problem) {
        assertThat(StreamName.problem(name).orElse("no problem")).endsWith(problem);
    }

    @Test
    void controlCharactersAreNamedNotShown() {
        assertThat(StreamName.problem("a\0b").orElseThrow()).endsWith("character 2 is U+0000");
        assertThat(StreamName.problem("a\nb").orElseThrow()).endsWith("character 2 is U+000A");
        assertThat(StreamName.problem("a\u007f").orElseThrow()).endsWith("character 2 is U+007F");
    }

    @Test
    void namesAreLimitedInBytes() {
        assertThat(StreamName.problem("a".repeat(255))).isEmpty();
        assertThat(StreamName.problem("a".repeat(256)).orElseThrow()).contains("longer than 255 bytes");
        assertThat(StreamName.problem("é".repeat(128)).orElseThrow()).contains("longer than 255 bytes");
        assertThat(StreamName.problem("a".repeat(10_000_000)).orElseThrow()).contains("longer than 255 bytes");
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 1", "0, 1, 1", "0, 2, 1", "0, 3, 3", "0, 9, 3", "1, 9, 1", "5, 3, 5", "-4, 3, -4"})
    void replicasDefaultToThreeWhereThereAreThreeServers(int asked, int servers, int resolved) {
        assertThat(StreamSettingsRules.resolve(asked, 7, Map.of(), servers).replicas())
                .isEqualTo(resolved);
    }

    @Test
    void recordBytesDefaultToTheLimitAndLabelsStay() {
        StreamSettings resolved = StreamSettingsRules.resolve(1, 0, Map.of("k", "v"), 1);
        assertThat(resolved.maxRecordBytes()).isEqualTo(1_000_000);
        assertThat(resolved.labels()).isEqualTo(Map.of("k", "v"));
        assertThat(StreamSettingsRules.resolve(1, -1, Map.of(), 1).maxRecordBytes())
                .isEqualTo(-1);
        assertThat(StreamSettingsRules.problem(resolved)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 2, 4, 6, 7, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void replicasAreOddAndAtMostFive(int replicas) {
        assertThat(StreamSettingsRules.problem(new StreamSettings(replicas, 1, new TreeMap<>()))
                        .orElseThrow())
                .contains("odd and 1 to 5, not " + replicas);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 1_000_001, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void recordBytesAreLimited(int bytes) {
        assertThat(StreamSettingsRules.problem(bytes).orElseThrow()).contains("1 to 1000000, not " + bytes);
        assertThat(StreamSettingsRules.problem(new StreamSettings(1, bytes, new TreeMap<>())))
                .isPresent();
    }

    @Test
    void labelsAreLimitedInNumberAndBytes() {
        assertThat(StreamSettingsRules.problem(labels(32))).isEmpty();
        assertThat(StreamSettingsRules.problem(labels(33)).orElseThrow()).contains("at most 32 labels, not 33");
        assertThat(StreamSettingsRules.problem(Map.of("k".repeat(63), "v".repeat(255))))
                .isEmpty();
        assertThat(StreamSettingsRules.problem(Map.of("k", ""))).isEmpty();
        assertThat(StreamSettingsRules.problem(Map.of("", "v")).orElseThrow()).contains("key");
        assertThat(StreamSettingsRules.problem(Map.of("k".repeat(64), "v")).orElseThrow())
                .contains("key");
        assertThat(StreamSettingsRules.problem(Map.of("é".repeat(32), "v")).orElseThrow())
                .contains("key");
        assertThat(StreamSettingsRules.problem(Map.of("k", "v".repeat(256))).orElseThrow())
                .contains("value");
        assertThat(StreamSettingsRules.problem(Map.of("k", "é".repeat(128))).orElseThrow())
                .contains("value");
    }

    private static Map<String, String> labels(int count) {
        Map<String, String> labels = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            labels.put("k" + i, "v");
        }
        return labels;
    }
}
