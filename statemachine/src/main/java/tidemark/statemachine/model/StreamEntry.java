package tidemark.statemachine.model;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A stream as the catalog knows it.
 *
 * @param revision rises with each change of the entry
 */
public record StreamEntry(
        String name,
        StreamId id,
        GroupId group,
        StreamSettings settings,
        long createdMs,
        boolean sealed,
        long revision) {

    /** What a stream's owner chose; all defaults resolved. */
    public record StreamSettings(int replicas, int maxRecordBytes, SortedMap<String, String> labels) {
        /** Copies the labels: the value never changes. */
        public StreamSettings {
            SortedMap<String, String> copy = new TreeMap<>();
            copy.putAll(labels);
            labels = Collections.unmodifiableSortedMap(copy);
        }
    }
}
