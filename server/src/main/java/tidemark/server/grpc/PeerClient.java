package tidemark.server.grpc;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import tidemark.peer.proto.ConfirmRemovedRequest;
import tidemark.peer.proto.FetchSegmentRequest;
import tidemark.peer.proto.FetchSegmentResponse;
import tidemark.peer.proto.GetManifestRequest;
import tidemark.peer.proto.PeerServiceGrpc;
import tidemark.server.catalog.RemovalReports;
import tidemark.server.raft.PeerSnapshots;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.StreamId;

/** Asks other servers: fetches checkpoints, reports removals. Blocking; safe for use by many threads. */
public final class PeerClient implements PeerSnapshots, RemovalReports {
    /** Most groups of one report. */
    static final int REMOVED_GROUPS_MAX = 1_000;

    private static final long REPORT_SECONDS_MAX = 10;
    private static final long MANIFEST_SECONDS_MAX = 30;
    /** For one segment at a very slow pace. */
    private static final long SEGMENT_MINUTES_MAX = 10;

    private final PeerChannels channels;
    private final String clusterId;
    private final String serverId;

    /** @param serverId this server */
    public PeerClient(PeerChannels channels, String clusterId, String serverId) {
        this.channels = channels;
        this.clusterId = clusterId;
        this.serverId = serverId;
    }

    @Override
    public byte[] manifest(String serverId, GroupId group) throws IOException {
        GetManifestRequest request = GetManifestRequest.newBuilder()
                .setClusterId(clusterId)
                .setGroupId(Ids.bytes(group.value()))
                .build();
        try {
            return PeerServiceGrpc.newBlockingStub(channel(serverId))
                    .withDeadlineAfter(MANIFEST_SECONDS_MAX, TimeUnit.SECONDS)
                    .getManifest(request)
                    .getManifest()
                    .toByteArray();
        } catch (StatusRuntimeException failed) {
            throw new IOException(
                    "cannot fetch the manifest of group " + group + " from " + serverId + ": " + failed.getStatus(),
                    failed);
        }
    }

    @Override
    public void segment(
            String serverId, GroupId group, StreamId stream, long baseOffset, long from, long to, ChunkSink sink)
            throws IOException {
        FetchSegmentRequest request = FetchSegmentRequest.newBuilder()
                .setClusterId(clusterId)
                .setGroupId(Ids.bytes(group.value()))
                .setStreamId(Ids.bytes(stream.value()))
                .setBaseOffset(baseOffset)
                .setFromByte(from)
                .setToByte(to)
                .build();
        // The context ends the call when the sink fails in the middle.
        io.grpc.Context.CancellableContext transfer = io.grpc.Context.current().withCancellation();
        io.grpc.Context outer = transfer.attach();
        long received = 0;
        try {
            Iterator<FetchSegmentResponse> chunks = PeerServiceGrpc.newBlockingStub(channel(serverId))
                    .withDeadlineAfter(SEGMENT_MINUTES_MAX, TimeUnit.MINUTES)
                    .fetchSegment(request);
            while (chunks.hasNext()) {
                ByteString chunk = chunks.next().getChunk();
                received += chunk.size();
                sink.accept(chunk.asReadOnlyByteBuffer());
            }
        } catch (StatusRuntimeException failed) {
            throw new IOException(
                    "cannot fetch segment " + baseOffset + " of stream " + stream + " from " + serverId + ": "
                            + failed.getStatus(),
                    failed);
        } finally {
            transfer.detach(outer);
            transfer.cancel(null);
        }
        if (received != to - from) {
            throw new IOException("segment " + baseOffset + " of stream " + stream + " from " + serverId + ": got "
                    + received + " bytes, expected " + (to - from));
        }
    }

    @Override
    public void removed(String leaderId, List<GroupId> groups) throws IOException {
        ConfirmRemovedRequest.Builder request =
                ConfirmRemovedRequest.newBuilder().setClusterId(clusterId).setServerId(serverId);
        // What does not fit is said with the next report.
        groups.stream().limit(REMOVED_GROUPS_MAX).forEach(group -> request.addGroupIds(Ids.bytes(group.value())));
        try {
            var unused = PeerServiceGrpc.newBlockingStub(channel(leaderId))
                    .withDeadlineAfter(REPORT_SECONDS_MAX, TimeUnit.SECONDS)
                    .confirmRemoved(request.build());
        } catch (StatusRuntimeException failed) {
            throw new IOException("cannot report removed groups to " + leaderId + ": " + failed.getStatus(), failed);
        }
    }

    private ManagedChannel channel(String serverId) throws IOException {
        return channels.to(serverId).orElseThrow(() -> new IOException("server " + serverId + " is not known"));
    }
}
