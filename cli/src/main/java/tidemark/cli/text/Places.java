package tidemark.cli.text;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.regex.Pattern;

/** Reads places in a stream: offsets, times, {@code start} and {@code end}. */
public final class Places {
    /** What {@link #parse} accepts, for messages and help. */
    public static final String ACCEPTED = "an offset (1234), start, end, or a time: 2024-05-01T12:00:00Z (RFC 3339), "
            + "2024-05-01 (midnight UTC), @1714564800000 (milliseconds since 1970), -5m or '5m ago' (units ms s m h d w)";

    private static final Pattern DIGITS = Pattern.compile("[0-9]+");
    private static final Pattern EPOCH = Pattern.compile("@[0-9]+");
    private static final Pattern DATE = Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}");
    private static final Pattern DATE_TIME =
            Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?"
                    + "([Zz]|[+-][0-9]{2}:[0-9]{2})");
    private static final Pattern AGO = Pattern.compile("(-[0-9].*)|([0-9].*\\s+ago)");

    private Places() {}

    /**
     * Reads a place.
     *
     * @param now what "ago" is counted from
     */
    public static Place parse(String typed, Instant now) throws MalformedTextException {
        String text = typed.strip();
        if (text.equalsIgnoreCase("start")) {
            return Place.START;
        }
        if (text.equalsIgnoreCase("end")) {
            return Place.END;
        }
        if (DIGITS.matcher(text).matches()) {
            return Place.offset(number(text, typed));
        }
        return Place.time(time(text, typed, now));
    }

    private static long time(String text, String typed, Instant now) throws MalformedTextException {
        try {
            if (EPOCH.matcher(text).matches()) {
                return number(text.substring(1), typed);
            }
            if (DATE.matcher(text).matches()) {
                return LocalDate.parse(text)
                        .atStartOfDay(ZoneOffset.UTC)
                        .toInstant()
                        .toEpochMilli();
            }
            if (DATE_TIME.matcher(text).matches()) {
                return OffsetDateTime.parse(text.toUpperCase(Locale.ROOT).replace(' ', 'T'))
                        .toInstant()
                        .toEpochMilli();
            }
        } catch (DateTimeException e) {
            throw new MalformedTextException("'" + typed + "' is not a date that exists: give " + ACCEPTED);
        }
        if (AGO.matcher(text).matches()) {
            return now.minus(ago(text, typed)).toEpochMilli();
        }
        throw malformed(typed);
    }

    private static Duration ago(String text, String typed) throws MalformedTextException {
        String span = text.startsWith("-") ? text.substring(1) : text.substring(0, text.length() - "ago".length());
        try {
            return Spans.parse(span.strip());
        } catch (MalformedTextException e) {
            throw malformed(typed);
        }
    }

    private static long number(String digits, String typed) throws MalformedTextException {
        try {
            return Long.parseLong(digits);
        } catch (NumberFormatException e) {
            throw new MalformedTextException("'" + typed + "' is too large: the largest is " + Long.MAX_VALUE);
        }
    }

    private static MalformedTextException malformed(String typed) {
        return new MalformedTextException("'" + typed + "' is not a place in a stream: give " + ACCEPTED);
    }
}
