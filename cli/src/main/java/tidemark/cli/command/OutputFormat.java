package tidemark.cli.command;

import java.util.Locale;

/** How a command prints its result. */
public enum OutputFormat {
    /** For people. */
    TEXT,
    /** For programs: one JSON object, or one a line. */
    JSON,
    /** Payloads and nothing else. Only where records are printed. */
    RAW;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
