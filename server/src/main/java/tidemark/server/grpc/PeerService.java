package tidemark.server.grpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import tidemark.peer.proto.ConfirmRemovedRequest;
import tidemark.peer.proto.ConfirmRemovedResponse;
import tidemark.peer.proto.FetchSegmentRequest;
import tidemark.peer.proto.GetManifestRequest;
import tidemark.peer.proto.GetManifestResponse;
import tidemark.peer.proto.HelloRequest;
import tidemark.peer.proto.HelloResponse;
import tidemark.peer.proto.MarkSealedRequest;
import tidemark.peer.proto.MarkSealedResponse;
import tidemark.peer.proto.PeerServiceGrpc;
import tidemark.server.catalog.Catalog;
import tidemark.server.raft.HostedGroup;
import tidemark.server.raft.RaftHost;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.Outcome;
import tidemark.statemachine.model.StreamId;

/** The methods of {@code tidemark.peer.PeerService}. Each is refused to servers of another cluster. */
final class PeerService {
    private final RaftHost raft;
    private final Catalog catalog;
    private final StoredCheckpoints checkpoints;
    private final ServerIdentity identity;
    private final Executor diskExecutor;

    /** @param diskExecutor may block on disks */
    PeerService(
            RaftHost raft,
            Catalog catalog,
            StoredCheckpoints checkpoints,
            ServerIdentity identity,
            Executor diskExecutor) {
        this.raft = raft;
        this.catalog = catalog;
        this.checkpoints = checkpoints;
        this.identity = identity;
        this.diskExecutor = diskExecutor;
    }

    List<RoutedMethod<?>> methods() {
        return List.of(
                RoutedMethod.unary(
                        PeerServiceGrpc.getGetManifestMethod(),
                        GetManifestRequest.getDefaultInstance(),
                        request -> ofThisCluster(request.getClusterId(), Target.HERE),
                        (request, here) -> manifest(request),
                        false),
                new RoutedMethod<>(
                        RoutedMethod.wire(PeerServiceGrpc.getFetchSegmentMethod()),
                        FetchSegmentRequest.getDefaultInstance(),
                        request -> ofThisCluster(request.getClusterId(), Target.HERE),
                        (request, here, out) -> segment(request, out),
                        false),
                RoutedMethod.unary(
                        PeerServiceGrpc.getHelloMethod(),
                        HelloRequest.getDefaultInstance(),
                        request -> ofThisCluster(request.getClusterId(), Target.HERE),
                        (request, here) -> CompletableFuture.completedFuture(hello()),
                        false),
                RoutedMethod.unary(
                        PeerServiceGrpc.getMarkSealedMethod(),
                        MarkSealedRequest.getDefaultInstance(),
                        request -> ofThisCluster(request.getClusterId(), new Target(Target.Place.CATALOG_LEADER, "")),
                        (request, here) -> markSealed(request),
                        true),
                RoutedMethod.unary(
                        PeerServiceGrpc.getConfirmRemovedMethod(),
                        ConfirmRemovedRequest.getDefaultInstance(),
                        request -> ofThisCluster(request.getClusterId(), new Target(Target.Place.CATALOG_LEADER, "")),
                        (request, here) -> confirmRemoved(request),
                        true));
    }

    private Target ofThisCluster(String clusterId, Target target) {
        if (!clusterId.equals(identity.clusterId())) {
            throw Errors.invalidField("", "cluster_id", "this server is of another cluster");
        }
        return target;
    }

    private CompletableFuture<GetManifestResponse> manifest(GetManifestRequest request) {
        HostedGroup group = hosted(request.getGroupId());
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        byte[] manifest = checkpoints
                                .manifest(group)
                                .orElseThrow(() -> Errors.notHere("a manifest of group " + group.id()));
                        return GetManifestResponse.newBuilder()
                                .setManifest(UnsafeByteOperations.unsafeWrap(manifest))
                                .build();
                    } catch (StorageException failure) {
                        throw new CompletionException(failure);
                    }
                },
                diskExecutor);
    }

    private Leg segment(FetchSegmentRequest request, Downstream out) {
        if (request.getFromByte() < 0 || request.getToByte() < request.getFromByte()) {
            throw Errors.invalidField("", "from_byte", "must be 0 to to_byte");
        }
        StreamId stream = new StreamId(id("stream_id", request.getStreamId()));
        return new SegmentLeg(checkpoints, hosted(request.getGroupId()), stream, request, out, diskExecutor);
    }

    private HostedGroup hosted(ByteString groupId) {
        GroupId id = new GroupId(id("group_id", groupId));
        return raft.group(id).orElseThrow(() -> Errors.notHere("group " + id));
    }

    private static UUID id(String field, ByteString bytes) {
        return Ids.parse(bytes).orElseThrow(() -> Errors.invalidField("", field, "must have 16 bytes"));
    }

    private HelloResponse hello() {
        HelloResponse.Builder response =
                HelloResponse.newBuilder().setServerId(identity.serverId()).setVersion(identity.version());
        int replicas = 0;
        for (GroupId id : raft.groups()) {
            if (id.equals(catalog.group().id())) {
                continue;
            }
            replicas++;
            raft.group(id)
                    .filter(group -> group.leadership().leads())
                    .ifPresent(group -> response.addLeading(Ids.bytes(group.id().value())));
        }
        return response.setReplicaCount(replicas).build();
    }

    private CompletableFuture<MarkSealedResponse> markSealed(MarkSealedRequest request) {
        StreamId stream = new StreamId(id("stream_id", request.getStreamId()));
        return catalog.markSealed(stream).thenApply(outcome -> {
            // A stream that was deleted in between needs no note.
            if (outcome instanceof Outcome.Rejected && !(outcome instanceof Outcome.UnknownStream)) {
                throw Failures.of(outcome, "");
            }
            return MarkSealedResponse.getDefaultInstance();
        });
    }

    private CompletableFuture<ConfirmRemovedResponse> confirmRemoved(ConfirmRemovedRequest request) {
        if (request.getGroupIdsCount() > PeerClient.REMOVED_GROUPS_MAX) {
            throw Errors.invalidField("", "group_ids", "has at most " + PeerClient.REMOVED_GROUPS_MAX + " groups");
        }
        List<CompletableFuture<Outcome>> noted = new ArrayList<>();
        for (ByteString group : request.getGroupIdsList()) {
            noted.add(catalog.confirmRemoved(new GroupId(id("group_ids", group)), request.getServerId()));
        }
        return CompletableFuture.allOf(noted.toArray(CompletableFuture[]::new))
                .thenApply(all -> ConfirmRemovedResponse.getDefaultInstance());
    }
}
