package tidemark.cli.text;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Builds one JSON object on one line. Fields come out in the order in which they are added. Not safe for use by several threads.
 */
public final class Json {
    private final StringBuilder text = new StringBuilder(256).append('{');

    /** Adds a string, or null. */
    public Json add(String name, @Nullable String value) {
        name(name);
        quote(value);
        return this;
    }

    public Json add(String name, long value) {
        name(name);
        text.append(value);
        return this;
    }

    public Json add(String name, boolean value) {
        name(name);
        text.append(value);
        return this;
    }

    /** Adds an object. */
    public Json add(String name, Json value) {
        name(name);
        text.append(value);
        return this;
    }

    /** Adds an array of objects. */
    public Json addObjects(String name, Collection<Json> values) {
        name(name);
        text.append('[');
        String separator = "";
        for (Json value : values) {
            text.append(separator).append(value);
            separator = ",";
        }
        text.append(']');
        return this;
    }

    /** Adds an array of strings. */
    public Json addStrings(String name, Collection<String> values) {
        name(name);
        text.append('[');
        String separator = "";
        for (String value : values) {
            text.append(separator);
            quote(value);
            separator = ",";
        }
        text.append(']');
        return this;
    }

    /** Adds an object whose fields are strings. */
    public Json addStrings(String name, Map<String, String> values) {
        Json object = new Json();
        values.forEach(object::add);
        return add(name, object);
    }

    /**
     * Adds bytes as text if they are valid UTF-8, else in base64. A second field, {@code NAME_encoding}, says which: {@code utf8}
     * or {@code base64}.
     */
    public Json addBytes(String name, ByteBuffer bytes) {
        String decoded = utf8(bytes);
        if (decoded != null) {
            return add(name, decoded).add(name + "_encoding", "utf8");
        }
        String encoded = StandardCharsets.ISO_8859_1
                .decode(Base64.getEncoder().encode(bytes.duplicate()))
                .toString();
        return add(name, encoded).add(name + "_encoding", "base64");
    }

    /** The object, without a line end. */
    @Override
    public String toString() {
        return text + "}";
    }

    private static @Nullable String utf8(ByteBuffer bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(bytes.duplicate())
                    .toString();
        } catch (CharacterCodingException notText) {
            return null;
        }
    }

    private void name(String name) {
        if (text.length() > 1) {
            text.append(',');
        }
        quote(name);
        text.append(':');
    }

    private void quote(@Nullable String value) {
        if (value == null) {
            text.append("null");
            return;
        }
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            escape(value.charAt(i));
        }
        text.append('"');
    }

    private void escape(char c) {
        switch (c) {
            case '"' -> text.append("\\\"");
            case '\\' -> text.append("\\\\");
            case '\n' -> text.append("\\n");
            case '\r' -> text.append("\\r");
            case '\t' -> text.append("\\t");
            default -> {
                // The two line separators are legal JSON, but break JavaScript and line-based tools; DEL and C1 may
                // drive a terminal.
                if (c < 0x20 || (c >= 0x7f && c < 0xa0) || c == '\u2028' || c == '\u2029' || Character.isSurrogate(c)) {
                    appendUnicode(c);
                } else {
                    text.append(c);
                }
            }
        }
    }

    private void appendUnicode(char c) {
        text.append("\\u");
        for (int shift = 12; shift >= 0; shift -= 4) {
            text.append(Character.forDigit((c >> shift) & 0xf, 16));
        }
    }
}
