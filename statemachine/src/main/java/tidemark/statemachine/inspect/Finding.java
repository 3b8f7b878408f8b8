package tidemark.statemachine.inspect;

/**
 * Something about a file that a person should know.
 *
 * @param position in the file, in bytes
 */
public record Finding(Kind kind, String path, long position, String message) {
    /** How bad it is. */
    public enum Kind {
        /** Bytes that count are not what was written, or missing. */
        DAMAGE,
        /** Written by another version of Tidemark. */
        UNSUPPORTED_VERSION,
        /** The file ends within a frame, or with zeros. Normal behind what the manifest names, after a crash. */
        TORN_TAIL,
        /** Nothing is wrong. */
        NOTE
    }

    @Override
    public String toString() {
        return kind + " " + path + " at byte " + position + ": " + message;
    }
}
