package tidemark.statemachine.catalog;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Optional;

/**
 * What a stream may be called: 1 to 255 bytes of ASCII letters, digits, {@code .}, {@code _}, {@code -} in parts divided by
 * {@code /}; a part starts with a letter or a digit. Case matters.
 */
public final class StreamName {
    /** Most bytes of a name. */
    public static final int BYTES_MAX = 255;

    private StreamName() {}

    /** What is wrong with a name, in words for people; empty if nothing is. Never repeats the name, which may be anything. */
    public static Optional<String> problem(String name) {
        if (name.isEmpty()) {
            return Optional.of("stream name is empty");
        }
        // Length in characters first, so that a huge name is not encoded to be refused.
        if (name.length() > BYTES_MAX || name.getBytes(UTF_8).length > BYTES_MAX) {
            return Optional.of("stream name is longer than " + BYTES_MAX + " bytes");
        }
        boolean partStarts = true;
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (partStarts && !isLetterOrDigit(c)) {
                return Optional.of("a part of a stream name must start with an ASCII letter or digit; character "
                        + (i + 1) + " is " + shown(c));
            }
            if (!isLetterOrDigit(c) && c != '.' && c != '_' && c != '-' && c != '/') {
                return Optional.of("a stream name has only ASCII letters, digits, '.', '_', '-' and '/'; character "
                        + (i + 1) + " is " + shown(c));
            }
            partStarts = c == '/';
        }
        return partStarts ? Optional.of("stream name ends with '/'") : Optional.empty();
    }

    private static boolean isLetterOrDigit(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }

    private static String shown(char c) {
        return c > ' ' && c < 127 ? "'" + c + "'" : String.format("U+%04X", (int) c);
    }
}
