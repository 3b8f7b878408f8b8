package tidemark.cli;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.function.Supplier;
import tidemark.v1.AdminServiceGrpc;
import tidemark.v1.CreateStreamRequest;
import tidemark.v1.CreateStreamResponse;
import tidemark.v1.DeleteStreamRequest;
import tidemark.v1.DeleteStreamResponse;
import tidemark.v1.DescribeClusterRequest;
import tidemark.v1.DescribeClusterResponse;
import tidemark.v1.ErrorReason;
import tidemark.v1.GetStreamRequest;
import tidemark.v1.GetStreamResponse;
import tidemark.v1.ListStreamsRequest;
import tidemark.v1.ListStreamsResponse;
import tidemark.v1.SealStreamRequest;
import tidemark.v1.SealStreamResponse;
import tidemark.v1.Server;
import tidemark.v1.StreamSettings;
import tidemark.v1.UpdateStreamRequest;
import tidemark.v1.UpdateStreamResponse;

/** The admin half of {@link FakeServer}. */
final class FakeAdminService extends AdminServiceGrpc.AdminServiceImplBase {
    private final FakeServer server;

    FakeAdminService(FakeServer server) {
        this.server = server;
    }

    @Override
    public void createStream(CreateStreamRequest request, StreamObserver<CreateStreamResponse> answer) {
        answer(answer, () -> {
            if (request.getName().contains("..")) {
                throw FakeServer.refusal(
                        Status.Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "name: not a name");
            }
            StreamSettings.Builder settings = request.getSettings().toBuilder();
            settings.setReplicas(Math.max(1, settings.getReplicas()));
            if (settings.getMaxRecordBytes() == 0) {
                settings.setMaxRecordBytes(1_000_000);
            }
            boolean created = !server.exists(request.getName());
            if (!created && !server.find(request.getName()).settings.equals(settings.build())) {
                throw FakeServer.refusal(
                        Status.Code.ALREADY_EXISTS,
                        ErrorReason.ERROR_REASON_STREAM_EXISTS,
                        "a stream named " + request.getName() + " exists with other settings");
            }
            FakeServer.Log log =
                    created ? server.create(request.getName(), settings.build()) : server.find(request.getName());
            return CreateStreamResponse.newBuilder()
                    .setStream(log.describe(true))
                    .setCreated(created)
                    .build();
        });
    }

    @Override
    public void getStream(GetStreamRequest request, StreamObserver<GetStreamResponse> answer) {
        answer(
                answer,
                () -> GetStreamResponse.newBuilder()
                        .setStream(server.find(request.getName()).describe(true))
                        .build());
    }

    /** One stream a page, so that clients must page. */
    @Override
    public void listStreams(ListStreamsRequest request, StreamObserver<ListStreamsResponse> answer) {
        answer(answer, () -> {
            List<FakeServer.Log> logs = server.list(request.getPrefix());
            int page = request.getPageToken().isEmpty() ? 0 : Integer.parseInt(request.getPageToken());
            ListStreamsResponse.Builder response = ListStreamsResponse.newBuilder();
            if (page < logs.size()) {
                response.addStreams(logs.get(page).describe(false));
            }
            if (page + 1 < logs.size()) {
                response.setNextPageToken(Integer.toString(page + 1));
            }
            return response.build();
        });
    }

    @Override
    public void updateStream(UpdateStreamRequest request, StreamObserver<UpdateStreamResponse> answer) {
        answer(answer, () -> {
            FakeServer.Log log = server.find(request.getName());
            if (request.hasExpectedRevision() && request.getExpectedRevision() != log.revision) {
                throw FakeServer.refusal(
                        Status.Code.ABORTED,
                        ErrorReason.ERROR_REASON_REVISION_CONFLICT,
                        "the revision is " + log.revision);
            }
            StreamSettings.Builder settings = log.settings.toBuilder().putAllLabels(request.getSetLabelsMap());
            request.getRemoveLabelsList().forEach(settings::removeLabels);
            if (request.hasMaxRecordBytes()) {
                settings.setMaxRecordBytes(request.getMaxRecordBytes());
            }
            log.settings = settings.build();
            log.revision++;
            return UpdateStreamResponse.newBuilder()
                    .setStream(log.describe(true))
                    .build();
        });
    }

    @Override
    public void deleteStream(DeleteStreamRequest request, StreamObserver<DeleteStreamResponse> answer) {
        answer(answer, () -> {
            server.delete(request.getName());
            return DeleteStreamResponse.getDefaultInstance();
        });
    }

    @Override
    public void sealStream(SealStreamRequest request, StreamObserver<SealStreamResponse> answer) {
        answer(answer, () -> {
            server.seal(request.getName());
            return SealStreamResponse.newBuilder()
                    .setEndOffset(server.find(request.getName()).end)
                    .build();
        });
    }

    @Override
    public void describeCluster(DescribeClusterRequest request, StreamObserver<DescribeClusterResponse> answer) {
        answer(
                answer,
                () -> DescribeClusterResponse.newBuilder()
                        .setClusterName("test")
                        .setServerId("n1")
                        .setCatalogLeaderId("n1")
                        .setStreamCount(server.list("").size())
                        .addServers(Server.newBuilder()
                                .setServerId("n1")
                                .setClientEndpoint(server.endpoint())
                                .setRaftEndpoint("127.0.0.1:7421")
                                .setReachable(true)
                                .setReplicaCount(2)
                                .setLeaderCount(1)
                                .setVersion("0.1.0"))
                        .addServers(Server.newBuilder()
                                .setServerId("n2")
                                .setClientEndpoint("127.0.0.1:1")
                                .setRaftEndpoint("127.0.0.1:2"))
                        .build());
    }

    static <T> void answer(StreamObserver<T> answer, Supplier<T> supplier) {
        T response;
        try {
            response = supplier.get();
        } catch (StatusRuntimeException e) {
            answer.onError(e);
            return;
        }
        answer.onNext(response);
        answer.onCompleted();
    }
}
