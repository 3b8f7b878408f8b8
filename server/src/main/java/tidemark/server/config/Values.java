package tidemark.server.config;

import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads single values, with their units and ranges. */
final class Values {
    private static final Pattern NUMBER_AND_UNIT = Pattern.compile("(\\d{1,15}) ?([A-Za-z]*)");
    /** Largest first; the last one is used where nothing larger divides a value. */
    private static final List<Unit> BYTE_UNITS = List.of(
            new Unit("TiB", 1L << 40),
            new Unit("GiB", 1L << 30),
            new Unit("MiB", 1L << 20),
            new Unit("KiB", 1L << 10),
            new Unit("B", 1),
            new Unit("", 1));

    private static final List<Unit> MILLIS_UNITS =
            List.of(new Unit("h", 3_600_000), new Unit("m", 60_000), new Unit("s", 1_000), new Unit("ms", 1));

    private Values() {}

    /** A count of bytes, e.g. {@code 64MiB}. */
    static long bytes(Given given, long least, long most) throws ConfigException {
        long bytes = scaled(given, BYTE_UNITS, "a number of bytes like 1048576, 512KiB, 64MiB, 1GiB");
        if (bytes < least || bytes > most) {
            throw given.problem("must be " + shown(least, BYTE_UNITS) + " to " + shown(most, BYTE_UNITS) + ", not "
                    + given.value());
        }
        return bytes;
    }

    /** A time, e.g. {@code 300ms}. */
    static Duration duration(Given given, Duration least, Duration most) throws ConfigException {
        long millis = scaled(given, MILLIS_UNITS, "a time like 300ms, 10s, 5m, 1h");
        if (millis < least.toMillis() || millis > most.toMillis()) {
            throw given.problem("must be " + shown(least.toMillis(), MILLIS_UNITS) + " to "
                    + shown(most.toMillis(), MILLIS_UNITS) + ", not " + given.value());
        }
        return Duration.ofMillis(millis);
    }

    static int port(Given given, int least) throws ConfigException {
        int port = number(given.value());
        if (port < least || port > 65_535) {
            throw given.problem("must be a port, " + least + " to 65535, not '" + shown(given.value()) + "'");
        }
        return port;
    }

    /** A short natural number; -1 if it is none. */
    static int number(String text) {
        return text.matches("\\d{1,9}") ? Integer.parseInt(text) : -1;
    }

    /** Text from outside, safe and short enough for a message of one line. */
    static String shown(String text) {
        String printable = text.replaceAll("\\p{Cntrl}", "?");
        return printable.length() <= 80 ? printable : printable.substring(0, 80) + "...";
    }

    private static long scaled(Given given, List<Unit> units, String form) throws ConfigException {
        Matcher matcher = NUMBER_AND_UNIT.matcher(given.value());
        @Nullable Unit unit = matcher.matches() ? unit(units, matcher.group(2)) : null;
        if (unit == null) {
            throw given.problem("must be " + form + ", not '" + shown(given.value()) + "'");
        }
        try {
            return Math.multiplyExact(Long.parseLong(matcher.group(1)), unit.size);
        } catch (ArithmeticException tooLarge) {
            return Long.MAX_VALUE;
        }
    }

    /** Case does not matter: nobody means millibytes. */
    private static @Nullable Unit unit(List<Unit> units, String name) {
        for (Unit unit : units) {
            if (unit.name.equalsIgnoreCase(name)) {
                return unit;
            }
        }
        return null;
    }

    /** A value with the largest unit that divides it. */
    private static String shown(long value, List<Unit> units) {
        for (Unit unit : units) {
            if (value >= unit.size && value % unit.size == 0) {
                return value / unit.size + unit.name;
            }
        }
        return value + units.get(units.size() - 1).name;
    }

    private record Unit(String name, long size) {}
}
