package tidemark.cli.text;

/**
 * A place in a stream, as typed.
 *
 * @param kind what it is
 * @param value the offset, the milliseconds since the Unix epoch, or the number of records; 0 for start and end
 */
public record Place(Kind kind, long value) {
    /** The first readable record. */
    public static final Place START = new Place(Kind.START, 0);

    /** The offset that the next record will get. */
    public static final Place END = new Place(Kind.END, 0);

    /** What a place is given by. */
    public enum Kind {
        OFFSET,
        /** The first record with this timestamp or a later one. */
        TIME,
        /** So many records before the end. */
        LAST,
        START,
        END
    }

    public static Place offset(long offset) {
        return new Place(Kind.OFFSET, offset);
    }

    public static Place time(long timestampMs) {
        return new Place(Kind.TIME, timestampMs);
    }

    public static Place last(long records) {
        return new Place(Kind.LAST, records);
    }
}
