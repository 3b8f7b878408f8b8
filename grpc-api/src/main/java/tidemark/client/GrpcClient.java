package tidemark.client;

import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import tidemark.client.CallPath.Target;
import tidemark.client.UnaryCall.Repeat;
import tidemark.v1.AdminServiceGrpc;
import tidemark.v1.AppendRequest;
import tidemark.v1.CreateStreamRequest;
import tidemark.v1.DeleteStreamRequest;
import tidemark.v1.DescribeClusterRequest;
import tidemark.v1.GetStreamRequest;
import tidemark.v1.GetTailRequest;
import tidemark.v1.ListStreamsRequest;
import tidemark.v1.LogServiceGrpc;
import tidemark.v1.SealStreamRequest;
import tidemark.v1.SealStreamResponse;
import tidemark.v1.Stream;
import tidemark.v1.TruncateRequest;

/** The client over gRPC: says for each call which server takes it and what repeating it does. */
final class GrpcClient implements TidemarkClient {
    private final ClientCore core;

    GrpcClient(ClientCore core) {
        this.core = core;
    }

    static TidemarkClient connect(List<Endpoint> servers, ClientOptions options) {
        return new GrpcClient(new ClientCore(servers, options, new SystemWorld(options.connectTimeout())));
    }

    @Override
    public CompletableFuture<AppendResult> appendAsync(
            String stream, List<LogRecord> records, OptionalLong expectedEnd) {
        AppendRequest.Builder request = AppendRequest.newBuilder().setStream(stream);
        try {
            RecordLimits.check(stream, records);
        } catch (TidemarkException tooLargeOrInvalid) {
            return CompletableFuture.failedFuture(tooLargeOrInvalid);
        }
        records.forEach(record -> request.addRecords(record.proto()));
        expectedEnd.ifPresent(request::setExpectedEnd);
        return UnaryCall.start(
                core,
                LogServiceGrpc.getAppendMethod(),
                request.build(),
                Target.leaderOf(stream),
                expectedEnd.isPresent() ? Repeat.SAFE_WRITE : Repeat.WRITE,
                Protos::appended);
    }

    @Override
    public Appender openAppender(String stream, AppenderOptions options) {
        return SessionAppender.open(core, stream, options);
    }

    @Override
    public RecordReader read(String stream, ReadOptions options) {
        return BufferedReader.open(core, stream, options);
    }

    @Override
    public Subscription subscribe(String stream, ReadOptions options, ReadListener listener) {
        return ListenerSubscription.open(core, stream, options, listener);
    }

    @Override
    public CompletableFuture<StreamTail> tailAsync(String stream, ReadMode mode) {
        return tail(stream, mode, mode == ReadMode.ANY ? Target.any(stream) : Target.leaderOf(stream));
    }

    @Override
    public CompletableFuture<StreamTail> replicaTailAsync(Endpoint replica, String stream) {
        return tail(stream, ReadMode.ANY, Target.only(stream, replica));
    }

    private CompletableFuture<StreamTail> tail(String stream, ReadMode mode, Target target) {
        return UnaryCall.start(
                core,
                LogServiceGrpc.getGetTailMethod(),
                GetTailRequest.newBuilder()
                        .setStream(stream)
                        .setMode(mode.proto())
                        .build(),
                target,
                Repeat.READ,
                Protos::tail);
    }

    @Override
    public CompletableFuture<TruncateResult> truncateAsync(
            String stream, LogPosition before, boolean dryRun, OptionalLong expectedStart) {
        TruncateRequest.Builder request = TruncateRequest.newBuilder()
                .setStream(stream)
                .setBefore(before.proto())
                .setDryRun(dryRun);
        expectedStart.ifPresent(request::setExpectedStart);
        boolean safe = !(before.proto().hasLast() || before.proto().hasEnd()); // those move: the same means more later
        Repeat repeat = safe ? Repeat.SAFE_WRITE : Repeat.WRITE;
        return UnaryCall.start(
                core,
                LogServiceGrpc.getTruncateMethod(),
                request.build(),
                Target.leaderOf(stream),
                dryRun ? Repeat.READ : repeat,
                Protos::truncated);
    }

    @Override
    public CompletableFuture<CreateResult> createStreamAsync(String stream, StreamSettings settings) {
        return UnaryCall.start(
                core,
                AdminServiceGrpc.getCreateStreamMethod(),
                CreateStreamRequest.newBuilder()
                        .setName(stream)
                        .setSettings(Protos.settings(settings))
                        .build(),
                Target.any(stream),
                Repeat.SAFE_WRITE,
                response -> new CreateResult(described(response.getStream()), response.getCreated()));
    }

    @Override
    public CompletableFuture<StreamInfo> getStreamAsync(String stream) {
        return UnaryCall.start(
                core,
                AdminServiceGrpc.getGetStreamMethod(),
                GetStreamRequest.newBuilder().setName(stream).build(),
                Target.any(stream),
                Repeat.READ,
                response -> described(response.getStream()));
    }

    private StreamInfo described(Stream stream) {
        core.router().leaderMayBe(stream.getName(), stream.getLeaderId());
        return Protos.stream(stream);
    }

    @Override
    public CompletableFuture<StreamPage> listStreamsAsync(String prefix, int pageSize, String pageToken) {
        return UnaryCall.start(
                core,
                AdminServiceGrpc.getListStreamsMethod(),
                ListStreamsRequest.newBuilder()
                        .setPrefix(prefix)
                        .setPageSize(pageSize)
                        .setPageToken(pageToken)
                        .build(),
                Target.any(""),
                Repeat.READ,
                response -> new StreamPage(
                        response.getStreamsList().stream().map(Protos::stream).toList(), response.getNextPageToken()));
    }

    @Override
    public CompletableFuture<StreamInfo> updateStreamAsync(String stream, StreamUpdate update) {
        return UnaryCall.start(
                core,
                AdminServiceGrpc.getUpdateStreamMethod(),
                Protos.update(stream, update),
                Target.any(stream),
                Repeat.SAFE_WRITE,
                response -> described(response.getStream()));
    }

    @Override
    public CompletableFuture<Void> deleteStreamAsync(String stream) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        var unused = getStreamAsync(stream).whenComplete((info, failure) -> {
            if (info == null) {
                result.completeExceptionally(failure);
            } else {
                delete(stream, info.streamId(), result);
            }
        });
        return result;
    }

    private void delete(String stream, String streamId, CompletableFuture<Void> result) {
        CompletableFuture<Boolean> deleted = UnaryCall.start(
                core,
                AdminServiceGrpc.getDeleteStreamMethod(),
                DeleteStreamRequest.newBuilder()
                        .setName(stream)
                        .setStreamId(streamId)
                        .build(),
                Target.any(stream),
                Repeat.SAFE_WRITE,
                response -> true);
        var unused = deleted.whenComplete((done, failure) -> {
            // Not found after an attempt whose answer was lost: the stream of this id is gone, as was asked for.
            boolean gone = failure instanceof TidemarkException.Indeterminate
                    && failure.getCause() instanceof TidemarkException.StreamNotFound;
            if (failure == null || gone) {
                result.complete(null);
            } else {
                result.completeExceptionally(failure);
            }
        });
    }

    @Override
    public CompletableFuture<Long> sealStreamAsync(String stream) {
        return UnaryCall.start(
                core,
                AdminServiceGrpc.getSealStreamMethod(),
                SealStreamRequest.newBuilder().setName(stream).build(),
                Target.any(stream),
                Repeat.SAFE_WRITE,
                SealStreamResponse::getEndOffset);
    }

    @Override
    public CompletableFuture<ClusterInfo> describeClusterAsync() {
        return describe(Target.any(""));
    }

    @Override
    public CompletableFuture<ClusterInfo> describeClusterAsync(Endpoint server) {
        return describe(Target.only("", server));
    }

    private CompletableFuture<ClusterInfo> describe(Target target) {
        return UnaryCall.start(
                core,
                AdminServiceGrpc.getDescribeClusterMethod(),
                DescribeClusterRequest.getDefaultInstance(),
                target,
                Repeat.READ,
                Protos::cluster);
    }

    @Override
    public void close() {
        core.close();
    }
}
