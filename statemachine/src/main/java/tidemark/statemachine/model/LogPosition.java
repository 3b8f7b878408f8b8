package tidemark.statemachine.model;

/** A place in a group's Raft log. Ordered by index (an index has one term once committed). */
public record LogPosition(long term, long index) implements Comparable<LogPosition> {
    /** Before the first entry. */
    public static final LogPosition NONE = new LogPosition(0, -1);

    @Override
    public int compareTo(LogPosition other) {
        return Long.compare(index, other.index);
    }
}
