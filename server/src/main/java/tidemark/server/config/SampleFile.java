package tidemark.server.config;

import tidemark.server.config.Setting.Section;

/** The documented sample of a configuration file: every setting with its default, commented out. */
public final class SampleFile {
    private static final int WIDTH = 100;

    private SampleFile() {}

    /** A file that changes nothing: all defaults, each with its meaning. */
    public static String text() {
        StringBuilder out = new StringBuilder();
        out.append("# Configuration of a Tidemark server: tidemark server --config FILE\n");
        out.append(
                "# Every setting is also a flag (--key value); flags win. What is commented out shows the default.\n");
        out.append("# Sizes: 1048576, 512KiB, 64MiB, 1GiB. Times: 300ms, 10s, 5m, 1h.\n");
        for (Section section : Section.values()) {
            out.append("\n# ---- ").append(section.title()).append(" ----\n");
            for (Setting setting : Setting.in(section)) {
                append(out, setting);
            }
        }
        return out.toString();
    }

    private static void append(StringBuilder out, Setting setting) {
        out.append('\n');
        StringBuilder line = new StringBuilder("#");
        for (String word : setting.description().split("\\s+", -1)) {
            if (line.length() + 1 + word.length() > WIDTH) {
                out.append(line).append('\n');
                line = new StringBuilder("#");
            }
            line.append(' ').append(word);
        }
        out.append(line).append('\n');
        String shown = setting.defaultText().isEmpty() ? setting.type() : setting.defaultText();
        out.append("#").append(setting.key()).append(" = ").append(shown).append('\n');
    }
}
