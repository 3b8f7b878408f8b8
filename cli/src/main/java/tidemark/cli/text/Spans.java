package tidemark.cli.text;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Spans of time as people type them: {@code 500ms}, {@code 30s}, {@code 5m}, {@code 1h30m}, {@code 7d}, {@code 2w}. */
public final class Spans {
    /** What {@link #parse} accepts, for messages. */
    public static final String ACCEPTED = "500ms, 30s, 5m, 1h30m, 7d or 2w";

    /** Longest span: a hundred years. Keeps sums with today's time far from overflow. */
    static final Duration LONGEST = Duration.ofDays(36_525);

    private static final Pattern PART = Pattern.compile("([0-9]{1,12})(ms|s|m|h|d|w)");

    private Spans() {}

    /** Reads one or more numbers, each with its unit, without sign or blanks between them. */
    public static Duration parse(String text) throws MalformedTextException {
        Matcher part = PART.matcher(text.toLowerCase(Locale.ROOT));
        Duration sum = Duration.ZERO;
        int position = 0;
        while (position < text.length() && part.find(position) && part.start() == position) {
            sum = sum.plus(unit(part.group(2)).multipliedBy(Long.parseLong(part.group(1))));
            if (sum.compareTo(LONGEST) > 0) {
                throw new MalformedTextException("'" + text + "' is longer than 100 years");
            }
            position = part.end();
        }
        if (position == 0 || position < text.length()) {
            throw new MalformedTextException("'" + text + "' is not a span of time: give " + ACCEPTED);
        }
        return sum;
    }

    private static Duration unit(String name) {
        return switch (name) {
            case "ms" -> Duration.ofMillis(1);
            case "s" -> Duration.ofSeconds(1);
            case "m" -> Duration.ofMinutes(1);
            case "h" -> Duration.ofHours(1);
            case "d" -> Duration.ofDays(1);
            default -> Duration.ofDays(7);
        };
    }
}
