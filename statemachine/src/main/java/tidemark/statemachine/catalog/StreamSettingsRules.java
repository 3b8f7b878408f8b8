package tidemark.statemachine.catalog;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tidemark.statemachine.model.StreamEntry.StreamSettings;

/** What a stream's owner may choose, and what is chosen for who does not. Pure. */
public final class StreamSettingsRules {
    /** Most replicas of a stream; their number is odd. */
    public static final int REPLICAS_MAX = 5;

    /** Replicas where the owner does not say, if the cluster has that many servers; else 1. */
    public static final int REPLICAS_DEFAULT = 3;

    /** Limit, and default, of payload + key + headers of one record, in bytes. */
    public static final int RECORD_BYTES_MAX = 1_000_000;

    /** Most labels of a stream. */
    public static final int LABELS_MAX = 32;

    /** Most bytes (UTF-8) of a label's key; at least one. */
    public static final int LABEL_KEY_BYTES_MAX = 63;

    /** Most bytes (UTF-8) of a label's value. */
    public static final int LABEL_VALUE_BYTES_MAX = 255;

    private StreamSettingsRules() {}

    /**
     * Puts defaults where 0 was asked for. Does not judge the rest: see {@link #problem}.
     *
     * @param servers number of servers of the cluster
     */
    public static StreamSettings resolve(int replicas, int maxRecordBytes, Map<String, String> labels, int servers) {
        int replicasOrDefault = servers >= REPLICAS_DEFAULT ? REPLICAS_DEFAULT : 1;
        return new StreamSettings(
                replicas == 0 ? replicasOrDefault : replicas,
                maxRecordBytes == 0 ? RECORD_BYTES_MAX : maxRecordBytes,
                new TreeMap<>(labels));
    }

    /**
     * What is wrong with settings that have no defaults left, in words for people; empty if nothing is. Whether there are enough
     * servers is another question.
     */
    public static Optional<String> problem(StreamSettings settings) {
        int replicas = settings.replicas();
        if (replicas < 1 || replicas > REPLICAS_MAX || replicas % 2 == 0) {
            return Optional.of("replicas must be odd and 1 to " + REPLICAS_MAX + ", not " + replicas);
        }
        return problem(settings.maxRecordBytes()).or(() -> problem(settings.labels()));
    }

    /** What is wrong with a limit for the bytes of a record. */
    public static Optional<String> problem(int maxRecordBytes) {
        return maxRecordBytes < 1 || maxRecordBytes > RECORD_BYTES_MAX
                ? Optional.of("max_record_bytes must be 1 to " + RECORD_BYTES_MAX + ", not " + maxRecordBytes)
                : Optional.empty();
    }

    /** What is wrong with a stream's labels. */
    public static Optional<String> problem(Map<String, String> labels) {
        if (labels.size() > LABELS_MAX) {
            return Optional.of("a stream has at most " + LABELS_MAX + " labels, not " + labels.size());
        }
        for (Map.Entry<String, String> label : labels.entrySet()) {
            if (label.getKey().isEmpty() || isLonger(label.getKey(), LABEL_KEY_BYTES_MAX)) {
                return Optional.of("a label's key must have 1 to " + LABEL_KEY_BYTES_MAX + " bytes");
            }
            if (isLonger(label.getValue(), LABEL_VALUE_BYTES_MAX)) {
                return Optional.of("a label's value must have at most " + LABEL_VALUE_BYTES_MAX + " bytes");
            }
        }
        return Optional.empty();
    }

    private static boolean isLonger(String text, int bytesMax) {
        return text.length() > bytesMax || text.getBytes(UTF_8).length > bytesMax;
    }
}
