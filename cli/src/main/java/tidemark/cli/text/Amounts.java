package tidemark.cli.text;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** Counts, sizes and times as people read them. */
public final class Amounts {
    private static final String[] UNITS = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

    private Amounts() {}

    /** {@code 1 record}, {@code 2 records}. */
    public static String count(long number, String singular) {
        return count(number, singular, singular + "s");
    }

    /** As the other, for words with a plural of their own. */
    public static String count(long number, String singular, String plural) {
        return number + " " + (number == 1 ? singular : plural);
    }

    /** {@code 512 bytes}, {@code 1.5 KiB}, {@code 20.0 GiB}. */
    public static String bytes(long number) {
        if (number < 1024) {
            return count(number, "byte");
        }
        double amount = number;
        int unit = -1;
        do {
            amount /= 1024;
            unit++;
        } while (amount >= 1024 && unit < UNITS.length - 1);
        return String.format(Locale.ROOT, "%.1f %s", amount, UNITS[unit]);
    }

    /** RFC 3339 in UTC, to the millisecond. */
    public static String time(long timestampMs) {
        Instant instant = Instant.ofEpochMilli(timestampMs).truncatedTo(ChronoUnit.MILLIS);
        return timestampMs % 1000 == 0 ? instant.toString().replace("Z", ".000Z") : instant.toString();
    }
}
