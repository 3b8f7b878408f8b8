package tidemark.statemachine.model;

import java.util.UUID;

/** Identity of a stream, unique for ever; names can be used again, ids cannot. */
public record StreamId(UUID value) implements Comparable<StreamId> {
    @Override
    public int compareTo(StreamId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value.toString();
    }
}
