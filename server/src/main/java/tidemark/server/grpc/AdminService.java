package tidemark.server.grpc;

import io.grpc.Context;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tidemark.peer.proto.MarkSealedRequest;
import tidemark.peer.proto.MarkSealedResponse;
import tidemark.peer.proto.PeerServiceGrpc;
import tidemark.server.batch.Operation;
import tidemark.statemachine.catalog.StreamName;
import tidemark.statemachine.machine.StreamView;
import tidemark.statemachine.model.Outcome;
import tidemark.statemachine.model.StreamEntry;
import tidemark.statemachine.model.StreamId;
import tidemark.v1.AdminServiceGrpc;
import tidemark.v1.CreateStreamRequest;
import tidemark.v1.CreateStreamResponse;
import tidemark.v1.DeleteStreamRequest;
import tidemark.v1.DeleteStreamResponse;
import tidemark.v1.DescribeClusterRequest;
import tidemark.v1.GetStreamRequest;
import tidemark.v1.GetStreamResponse;
import tidemark.v1.ListStreamsRequest;
import tidemark.v1.ListStreamsResponse;
import tidemark.v1.SealStreamRequest;
import tidemark.v1.SealStreamResponse;
import tidemark.v1.Stream;
import tidemark.v1.UpdateStreamRequest;
import tidemark.v1.UpdateStreamResponse;

/** The methods of {@code tidemark.v1.AdminService}. */
final class AdminService {
    static final int PAGE_SIZE_MAX = 1_000;

    private static final Pattern UUID_TEXT = Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");
    private static final long UNKNOWN = -1;
    private static final long MARK_SECONDS_MAX = 10;

    private final ClusterSupport support;
    private final StreamBirth birth;
    private final ClusterDescription description;

    AdminService(ClusterSupport support) {
        this.support = support;
        this.birth = new StreamBirth(support);
        this.description = new ClusterDescription(support);
    }

    List<RoutedMethod<?>> methods() {
        return List.of(
                RoutedMethod.unary(
                        AdminServiceGrpc.getCreateStreamMethod(),
                        CreateStreamRequest.getDefaultInstance(),
                        request -> Requests.catalogLeader("name", request.getName()),
                        (request, here) -> create(request),
                        true),
                RoutedMethod.unary(
                        AdminServiceGrpc.getGetStreamMethod(),
                        GetStreamRequest.getDefaultInstance(),
                        request -> new Target(
                                Target.Place.STREAM_LEADER_ELSE_HERE, Requests.stream("name", request.getName())),
                        this::get,
                        false),
                RoutedMethod.unary(
                        AdminServiceGrpc.getListStreamsMethod(),
                        ListStreamsRequest.getDefaultInstance(),
                        request -> new Target(Target.Place.CATALOG_LEADER_ELSE_HERE, ""),
                        (request, here) -> list(request),
                        false),
                RoutedMethod.unary(
                        AdminServiceGrpc.getUpdateStreamMethod(),
                        UpdateStreamRequest.getDefaultInstance(),
                        request -> Requests.catalogLeader("name", request.getName()),
                        (request, here) -> update(request),
                        true),
                RoutedMethod.unary(
                        AdminServiceGrpc.getDeleteStreamMethod(),
                        DeleteStreamRequest.getDefaultInstance(),
                        request -> Requests.catalogLeader("name", request.getName()),
                        (request, here) -> delete(request),
                        true),
                RoutedMethod.unary(
                        AdminServiceGrpc.getSealStreamMethod(),
                        SealStreamRequest.getDefaultInstance(),
                        request -> Requests.streamLeader("name", request.getName()),
                        this::seal,
                        true),
                RoutedMethod.unary(
                        AdminServiceGrpc.getDescribeClusterMethod(),
                        DescribeClusterRequest.getDefaultInstance(),
                        request -> Target.HERE,
                        (request, here) -> description.describe(),
                        false));
    }

    private CompletableFuture<CreateStreamResponse> create(CreateStreamRequest request) {
        StreamEntry.StreamSettings settings = StreamSettingsMapper.toCreate(
                request, support.catalog().members().size());
        Context call = Context.current();
        return support.catalog().create(request.getName(), settings).thenCompose(outcome -> {
            // The outcome comes on a thread that does not know the call, whose deadline bounds the wait.
            Context before = call.attach();
            try {
                return birth.await(checked(outcome, request.getName()), this::describe);
            } finally {
                call.detach(before);
            }
        });
    }

    private CompletableFuture<GetStreamResponse> get(GetStreamRequest request, Here here) {
        StreamEntry entry = here.entry()
                .orElseThrow(() -> Errors.noLeader(
                        request.getName(), "this server does not know it, and the catalog's leader cannot be asked"));
        return CompletableFuture.completedFuture(
                GetStreamResponse.newBuilder().setStream(describe(entry)).build());
    }

    private CompletableFuture<ListStreamsResponse> list(ListStreamsRequest request) {
        if (request.getPageSize() < 0 || request.getPageSize() > PAGE_SIZE_MAX) {
            throw Errors.invalidField("", "page_size", "must be 1 to " + PAGE_SIZE_MAX + ", or 0 for " + PAGE_SIZE_MAX);
        }
        if (request.getPrefix().length() > StreamName.BYTES_MAX) {
            throw Errors.invalidField("", "prefix", "no name is longer than " + StreamName.BYTES_MAX + " bytes");
        }
        String after = request.getPageToken();
        if (!after.isEmpty() && StreamName.problem(after).isPresent()) {
            throw Errors.invalidField("", "page_token", "is not one that this server gave");
        }
        int size = request.getPageSize() == 0 ? PAGE_SIZE_MAX : request.getPageSize();
        // One more than the page has: whether there is another page.
        List<StreamEntry> found = support.catalog().list(request.getPrefix(), after, size + 1);
        ListStreamsResponse.Builder response = ListStreamsResponse.newBuilder();
        for (StreamEntry entry : found.subList(0, Math.min(size, found.size()))) {
            response.addStreams(withoutBounds(entry));
        }
        if (found.size() > size) {
            response.setNextPageToken(found.get(size - 1).name());
        }
        return CompletableFuture.completedFuture(response.build());
    }

    private CompletableFuture<UpdateStreamResponse> update(UpdateStreamRequest request) {
        return support.catalog()
                .update(request.getName(), StreamSettingsMapper.toUpdate(request))
                .thenApply(outcome -> UpdateStreamResponse.newBuilder()
                        .setStream(describe(checked(outcome, request.getName()).stream()))
                        .build());
    }

    private CompletableFuture<DeleteStreamResponse> delete(DeleteStreamRequest request) {
        Optional<StreamId> onlyIfId = Optional.empty();
        if (!request.getStreamId().isEmpty()) {
            if (!UUID_TEXT.matcher(request.getStreamId()).matches()) {
                throw Errors.invalidField(request.getName(), "stream_id", "must be a UUID in text form");
            }
            onlyIfId = Optional.of(new StreamId(UUID.fromString(request.getStreamId())));
        }
        return support.catalog().delete(request.getName(), onlyIfId).thenApply(outcome -> {
            checked(outcome, request.getName());
            return DeleteStreamResponse.getDefaultInstance();
        });
    }

    /** What the catalog changed; anything else is the error for the client. */
    private static Outcome.StreamChanged checked(Outcome outcome, String stream) {
        if (outcome instanceof Outcome.StreamChanged changed) {
            return changed;
        }
        if (outcome instanceof Outcome.Invalid invalid) {
            throw Errors.invalidField(stream, "settings", invalid.problem());
        }
        throw Failures.of(outcome, stream);
    }

    /** Two steps: the stream's group, then the catalog. Sealing again repeats both. */
    private CompletableFuture<SealStreamResponse> seal(SealStreamRequest request, Here here) {
        return support.writes()
                .submit(here, new Operation.Seal(here.stream().id()))
                .thenCompose(outcome -> {
                    if (!(outcome instanceof Outcome.Sealed sealed)) {
                        throw Failures.of(outcome, request.getName());
                    }
                    return markSealed(here.stream())
                            .thenApply(done -> SealStreamResponse.newBuilder()
                                    .setEndOffset(sealed.endOffset())
                                    .build());
                });
    }

    private CompletableFuture<MarkSealedResponse> markSealed(StreamEntry entry) {
        MarkSealedRequest note = MarkSealedRequest.newBuilder()
                .setClusterId(support.identity().clusterId())
                .setStreamId(Ids.bytes(entry.id().value()))
                .build();
        CompletableFuture<MarkSealedResponse> noted = Answer.of(observer -> PeerServiceGrpc.newStub(support.self())
                .withDeadlineAfter(MARK_SECONDS_MAX, TimeUnit.SECONDS)
                .markSealed(note, observer));
        return noted.exceptionally(failure -> {
            throw new CompletionException(Errors.indeterminate(
                    entry.name(),
                    "the stream takes no more appends, but the catalog did not note it; seal it again ("
                            + failure.getMessage() + ")"));
        });
    }

    private Stream withoutBounds(StreamEntry entry) {
        return base(entry)
                .setStartOffset(UNKNOWN)
                .setEndOffset(UNKNOWN)
                .setStoredBytes(UNKNOWN)
                .build();
    }

    private Stream describe(StreamEntry entry) {
        @Nullable StreamView view = support.raft()
                .group(entry.group())
                .flatMap(group -> support.stored().view(group, entry.id()))
                .orElse(null);
        if (view == null) {
            return withoutBounds(entry);
        }
        return base(entry)
                .setStartOffset(view.startOffset())
                .setEndOffset(view.endOffset())
                .setStoredBytes(view.storedBytes())
                .setLastTimestampMs(view.lastTimestampMs())
                .build();
    }

    private Stream.Builder base(StreamEntry entry) {
        return Stream.newBuilder()
                .setName(entry.name())
                .setStreamId(entry.id().toString())
                .setGroupId(entry.group().toString())
                .setSettings(StreamSettingsMapper.toProto(entry.settings()))
                .setCreatedMs(entry.createdMs())
                .setSealed(entry.sealed())
                .addAllReplicaIds(support.catalog().replicas(entry.group()))
                .setLeaderId(support.router().leaderId(entry).orElse(""))
                .setRevision(entry.revision());
    }
}
