package tidemark.client;

import java.util.Map;

/**
 * What a stream's owner chooses.
 *
 * @param replicas number of replicas: odd, 1 to 5; 0 lets the server choose (3, or 1 in a cluster of fewer than 3 servers)
 * @param maxRecordBytes limit of payload + key + headers of one record, 1 to 1,000,000 bytes; 0 for 1,000,000
 * @param labels for the owner's use; at most 32
 */
public record StreamSettings(int replicas, int maxRecordBytes, Map<String, String> labels) {
    private static final StreamSettings DEFAULTS = new StreamSettings(0, 0, Map.of());

    /** Copies the labels. */
    public StreamSettings {
        labels = Map.copyOf(labels);
    }

    /** What the server chooses, no labels. */
    public static StreamSettings defaults() {
        return DEFAULTS;
    }

    /** These settings with another number of replicas. */
    public StreamSettings withReplicas(int count) {
        return new StreamSettings(count, maxRecordBytes, labels);
    }

    /** These settings with another record limit. */
    public StreamSettings withMaxRecordBytes(int bytes) {
        return new StreamSettings(replicas, bytes, labels);
    }

    /** These settings with other labels. */
    public StreamSettings withLabels(Map<String, String> values) {
        return new StreamSettings(replicas, maxRecordBytes, values);
    }
}
