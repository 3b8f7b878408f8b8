package tidemark.client;

import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Settings to change; the others stay.
 *
 * @param maxRecordBytes the new limit, if it changes
 * @param setLabels labels to set
 * @param removeLabels keys of labels to remove
 * @param expectedRevision if set, the update takes place only at this revision
 */
public record StreamUpdate(
        OptionalInt maxRecordBytes,
        Map<String, String> setLabels,
        List<String> removeLabels,
        OptionalLong expectedRevision) {
    /** Copies the collections. */
    public StreamUpdate {
        setLabels = Map.copyOf(setLabels);
        removeLabels = List.copyOf(removeLabels);
    }

    /** Changes nothing yet. */
    public static StreamUpdate none() {
        return new StreamUpdate(OptionalInt.empty(), Map.of(), List.of(), OptionalLong.empty());
    }

    /** This update with a new record limit. */
    public StreamUpdate withMaxRecordBytes(int bytes) {
        return new StreamUpdate(OptionalInt.of(bytes), setLabels, removeLabels, expectedRevision);
    }

    /** This update with these labels to set. */
    public StreamUpdate withSetLabels(Map<String, String> labels) {
        return new StreamUpdate(maxRecordBytes, labels, removeLabels, expectedRevision);
    }

    /** This update with these labels to remove. */
    public StreamUpdate withRemoveLabels(List<String> keys) {
        return new StreamUpdate(maxRecordBytes, setLabels, keys, expectedRevision);
    }

    /** This update only at a revision. */
    public StreamUpdate withExpectedRevision(long revision) {
        return new StreamUpdate(maxRecordBytes, setLabels, removeLabels, OptionalLong.of(revision));
    }
}
