package tidemark.cli.command;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tidemark.cli.record.Cut;
import tidemark.cli.record.RecordPrinter;
import tidemark.cli.text.Place;
import tidemark.client.Endpoint;
import tidemark.client.LogPosition;
import tidemark.client.ReadMode;
import tidemark.client.ReadOptions;

/** What read and tail have in common: whose copy is read, and how records are printed. */
final class ReadArguments {
    /** The places that people may type, for help. */
    static final String PLACES = "an offset, start, end, 2024-05-01T12:00:00Z, 2024-05-01 (UTC), "
            + "@1714564800000 (milliseconds since 1970), -5m or '5m ago'.";

    /** What is printed after each payload. */
    private enum Per {
        LINE(Cut.LINE),
        NULL(Cut.NULL),
        NONE(Cut.NONE);

        private final Cut cut;

        Per(Cut cut) {
            this.cut = cut;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private enum Mode {
        LEADER(ReadMode.LEADER),
        LINEARIZABLE(ReadMode.LINEARIZABLE),
        ANY(ReadMode.ANY);

        private final ReadMode mode;

        Mode(ReadMode mode) {
            this.mode = mode;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Option(
            names = "--per",
            paramLabel = "MARK",
            description =
                    "What follows each payload in text and raw: line (newline), null (zero byte) or none. Default: "
                            + "line. Use the one that the records were appended with to get the same bytes back.")
    private @Nullable Per per;

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            description =
                    "leader; linearizable: also reflects every append acknowledged before; any: any replica, which "
                            + "may lag. Default: leader.")
    private @Nullable Mode mode;

    @Option(
            names = "--replica",
            paramLabel = "HOST:PORT",
            description = "Read the copy of this server, whatever it holds.")
    private @Nullable String replica;

    RecordPrinter printer(OutputFormat format) {
        if (format == OutputFormat.JSON) {
            if (per != null) {
                throw new UsageException("--per has no meaning with json, which is one object a line");
            }
            return RecordPrinter.json();
        }
        return RecordPrinter.payloads(per == null ? Cut.LINE : per.cut);
    }

    ReadOptions.Builder options(Place from) {
        ReadOptions.Builder options = ReadOptions.builder(position(from));
        if (replica != null) {
            if (mode != null && mode != Mode.ANY) {
                throw new UsageException("--replica reads what one server holds, which is --mode any, not " + mode);
            }
            return options.replica(endpoint(replica));
        }
        return mode == null ? options : options.mode(mode.mode);
    }

    private static Endpoint endpoint(String typed) {
        try {
            return Endpoint.parse(typed);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--replica: " + e.getMessage());
        }
    }

    static LogPosition position(Place place) {
        return switch (place.kind()) {
            case OFFSET -> LogPosition.offset(place.value());
            case TIME -> LogPosition.timestampMs(place.value());
            case LAST -> LogPosition.last(place.value());
            case START -> LogPosition.start();
            case END -> LogPosition.end();
        };
    }
}
