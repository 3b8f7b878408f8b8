package tidemark.statemachine.model;

import java.util.UUID;

/** Identity of a Raft group. */
public record GroupId(UUID value) implements Comparable<GroupId> {
    @Override
    public int compareTo(GroupId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value.toString();
    }
}
