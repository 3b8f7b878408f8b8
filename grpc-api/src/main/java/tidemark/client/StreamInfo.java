package tidemark.client;

import java.util.List;

/**
 * A stream as the cluster describes it.
 *
 * @param name its name
 * @param streamId unique for ever, also when the name is used again; UUID in text form
 * @param groupId the Raft group that holds it; UUID in text form
 * @param settings what its owner chose
 * @param createdMs milliseconds since the Unix epoch
 * @param sealed whether it takes no more appends
 * @param replicaIds server ids of the replicas
 * @param leaderId server id of the leader as the answering server knows it; empty if unknown
 * @param startOffset first readable offset; -1 if unknown (always in lists)
 * @param endOffset offset that the next record will get; -1 if unknown (always in lists)
 * @param storedBytes bytes stored on one replica; -1 if unknown (always in lists)
 * @param lastTimestampMs timestamp of the last record; 0 if none
 * @param revision rises with each change of the settings
 */
public record StreamInfo(
        String name,
        String streamId,
        String groupId,
        StreamSettings settings,
        long createdMs,
        boolean sealed,
        List<String> replicaIds,
        String leaderId,
        long startOffset,
        long endOffset,
        long storedBytes,
        long lastTimestampMs,
        long revision) {
    /** Copies the list. */
    public StreamInfo {
        replicaIds = List.copyOf(replicaIds);
    }
}
