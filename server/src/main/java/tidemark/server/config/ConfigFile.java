package tidemark.server.config;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** A configuration file: lines {@code key = value}, empty lines, and comment lines that start with {@code #}. UTF-8. */
public final class ConfigFile {
    /** Most bytes of a file. */
    static final int BYTES_MAX = 1 << 20;

    private ConfigFile() {}

    /** Reads a file. Unknown keys, keys that are given twice and lines that are none are errors. */
    public static Map<Setting, Given> read(Path file) throws ConfigException {
        return parse(file.toString(), text(file));
    }

    private static String text(Path file) throws ConfigException {
        try {
            if (Files.size(file) > BYTES_MAX) {
                throw new ConfigException(
                        file + ": has more than " + BYTES_MAX + " bytes: is this the configuration file?");
            }
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(Files.readAllBytes(file)))
                    .toString();
        } catch (NoSuchFileException e) {
            throw new ConfigException(
                    file + ": there is no such file; `tidemark server --print-config` prints a sample to start from");
        } catch (CharacterCodingException e) {
            throw new ConfigException(file + ": is not UTF-8 text: is this the configuration file?");
        } catch (IOException e) {
            throw new ConfigException(file + ": cannot be read: " + e.getMessage());
        }
    }

    static Map<Setting, Given> parse(String name, String text) throws ConfigException {
        Map<Setting, Given> settings = new EnumMap<>(Setting.class);
        List<String> lines = text.lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (!line.isEmpty() && !line.startsWith("#")) {
                add(settings, name + ":" + (i + 1), line);
            }
        }
        return settings;
    }

    private static void add(Map<Setting, Given> settings, String place, String line) throws ConfigException {
        int equals = line.indexOf('=');
        if (equals < 0) {
            throw new ConfigException(place + ": expected `key = value`, found '" + Values.shown(line) + "'");
        }
        String key = line.substring(0, equals).strip();
        Setting setting = Setting.of(key)
                .orElseThrow(() -> new ConfigException(place + ": there is no setting '" + Values.shown(key) + "'"
                        + nearest(key)
                                .map(near -> "; did you mean '" + near + "'?")
                                .orElse("")
                        + " (`tidemark server --print-config` lists all)"));
        String origin = place + ": " + key;
        String value = line.substring(equals + 1).strip();
        if (value.isEmpty()) {
            throw new ConfigException(origin + ": has no value; remove the line to take the default");
        }
        if (settings.put(setting, new Given(value, origin)) != null) {
            throw new ConfigException(origin + ": is given twice; keep one");
        }
    }

    /** The key that a mistyped one may stand for. */
    private static Optional<String> nearest(String key) {
        String plain = key.replace('_', '-').replace('.', '-').strip();
        return Stream.of(Setting.values())
                .map(Setting::key)
                .filter(known -> distance(known, plain) <= 2)
                .min(Comparator.comparingInt(known -> distance(known, plain)));
    }

    /** Levenshtein's distance; of long texts only that it is large. */
    private static int distance(String left, String right) {
        if (Math.abs(left.length() - right.length()) > 2) {
            return 3;
        }
        int[] row = new int[right.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= left.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int changed = diagonal + (left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(changed, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[right.length()];
    }
}
