package tidemark.client;

import tidemark.v1.AppendResponse;
import tidemark.v1.DescribeClusterResponse;
import tidemark.v1.GetTailResponse;
import tidemark.v1.Stream;
import tidemark.v1.TruncateResponse;
import tidemark.v1.UpdateStreamRequest;

/** Turns messages of the protocol into values of the client, and back. Pure. */
final class Protos {
    private Protos() {}

    static AppendResult appended(AppendResponse response) {
        return new AppendResult(
                response.getBaseOffset(), response.getEndOffset(), response.getTimestampMs(), response.getTerm());
    }

    static StreamTail tail(GetTailResponse response) {
        return new StreamTail(
                response.getStartOffset(),
                response.getEndOffset(),
                response.getLastTimestampMs(),
                response.getSealed(),
                response.getServerId(),
                response.getTerm());
    }

    static TruncateResult truncated(TruncateResponse response) {
        return new TruncateResult(
                response.getPreviousStartOffset(),
                response.getStartOffset(),
                response.getRemovedRecords(),
                response.getFreedBytes());
    }

    static tidemark.v1.StreamSettings settings(StreamSettings settings) {
        return tidemark.v1.StreamSettings.newBuilder()
                .setReplicas(settings.replicas())
                .setMaxRecordBytes(settings.maxRecordBytes())
                .putAllLabels(settings.labels())
                .build();
    }

    static StreamInfo stream(Stream stream) {
        tidemark.v1.StreamSettings settings = stream.getSettings();
        return new StreamInfo(
                stream.getName(),
                stream.getStreamId(),
                stream.getGroupId(),
                new StreamSettings(settings.getReplicas(), settings.getMaxRecordBytes(), settings.getLabelsMap()),
                stream.getCreatedMs(),
                stream.getSealed(),
                stream.getReplicaIdsList(),
                stream.getLeaderId(),
                stream.getStartOffset(),
                stream.getEndOffset(),
                stream.getStoredBytes(),
                stream.getLastTimestampMs(),
                stream.getRevision());
    }

    static UpdateStreamRequest update(String stream, StreamUpdate update) {
        UpdateStreamRequest.Builder request = UpdateStreamRequest.newBuilder()
                .setName(stream)
                .putAllSetLabels(update.setLabels())
                .addAllRemoveLabels(update.removeLabels());
        update.maxRecordBytes().ifPresent(request::setMaxRecordBytes);
        update.expectedRevision().ifPresent(request::setExpectedRevision);
        return request.build();
    }

    static ClusterInfo cluster(DescribeClusterResponse response) {
        return new ClusterInfo(
                response.getClusterName(),
                response.getServerId(),
                response.getCatalogLeaderId(),
                response.getServersList().stream()
                        .map(server -> new ClusterInfo.Server(
                                server.getServerId(),
                                server.getClientEndpoint(),
                                server.getRaftEndpoint(),
                                server.getReachable(),
                                server.getReplicaCount(),
                                server.getLeaderCount(),
                                server.getVersion()))
                        .toList(),
                response.getStreamCount());
    }
}
