package tidemark.client;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import tidemark.v1.AdminServiceGrpc;
import tidemark.v1.AppendRequest;
import tidemark.v1.AppendResponse;
import tidemark.v1.AppendSessionRequest;
import tidemark.v1.AppendSessionResponse;
import tidemark.v1.CreateStreamRequest;
import tidemark.v1.CreateStreamResponse;
import tidemark.v1.DeleteStreamRequest;
import tidemark.v1.DeleteStreamResponse;
import tidemark.v1.DescribeClusterRequest;
import tidemark.v1.DescribeClusterResponse;
import tidemark.v1.GetStreamRequest;
import tidemark.v1.GetStreamResponse;
import tidemark.v1.GetTailRequest;
import tidemark.v1.GetTailResponse;
import tidemark.v1.LogServiceGrpc;
import tidemark.v1.ReadRequest;
import tidemark.v1.ReadResponse;
import tidemark.v1.Stream;
import tidemark.v1.TruncateRequest;
import tidemark.v1.TruncateResponse;

/** One server of a {@link FakeCluster}: routes as a real one does, and does to each write what the cluster's plan says. */
final class FakeServer {
    private static final Context.Key<Boolean> NO_FORWARD = Context.key("no-forward");

    final String id;
    private final FakeCluster cluster;
    private volatile @Nullable Server server;

    /** What it calls itself in answers; where it says the leader is, if not at its usual endpoint. */
    volatile @Nullable String leaderHintEndpoint;

    /** Messages sent to readers wait for this, if it is not null: called before each message. */
    volatile @Nullable Runnable beforeReadMessage;

    volatile boolean silentReads;
    volatile int recordsPerMessage = 3;

    FakeServer(FakeCluster cluster, String id) {
        this.cluster = cluster;
        this.id = id;
    }

    void start() {
        startOn(InProcessServerBuilder.forName(cluster.namespace + "/" + FakeCluster.endpoint(id)));
    }

    /** Starts on a transport of the test's choice; answers the port, if it has one. */
    int startOn(ServerBuilder<?> builder) {
        try {
            Server started = builder.addService(new Log())
                    .addService(new Admin())
                    .intercept(new Forwarding())
                    .build()
                    .start();
            server = started;
            return started.getPort();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    void kill() {
        Server running = server;
        if (running != null) {
            server = null;
            running.shutdownNow();
            try {
                running.awaitTermination();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(interrupted);
            }
        }
    }

    boolean alive() {
        return server != null;
    }

    private static final class Forwarding implements ServerInterceptor {
        @Override
        public <Q, R> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
            Context context = Context.current().withValue(NO_FORWARD, "1".equals(headers.get(ClientCore.NO_FORWARD)));
            return Contexts.interceptCall(context, call, headers, next);
        }
    }

    /** Notes the call; answers why this server cannot take it, or null if it leads or forwards. */
    private @Nullable StatusRuntimeException route(String call) {
        boolean direct = NO_FORWARD.get();
        String leader = cluster.leader(); // before a test is told of the call, and may change it
        cluster.called(id + " " + call + (direct ? " direct" : " forward"));
        if (leader.equals(id)) {
            return null;
        }
        if (direct) {
            String elsewhere = leaderHintEndpoint;
            return Errors.notLeader(
                    leader,
                    elsewhere != null
                            ? elsewhere
                            : leader.isEmpty()
                                    ? ""
                                    : FakeCluster.endpoint(leader).toString());
        }
        return !leader.isEmpty() && cluster.server(leader).alive() ? null : Errors.noLeader();
    }

    /** Does what the plan says to a write. */
    private <R> void write(StreamObserver<R> observer, java.util.function.Supplier<R> apply) {
        FakeCluster.Fate fate = cluster.nextFate();
        R answer = null;
        try {
            if (fate.applied()) {
                answer = apply.get();
            }
        } catch (StatusRuntimeException refused) {
            observer.onError(refused);
            return;
        }
        if (fate.failure() != null) {
            observer.onError(fate.failure());
        } else if (fate.answered() && answer != null) {
            observer.onNext(answer);
            observer.onCompleted();
        }
    }

    private final class Log extends LogServiceGrpc.LogServiceImplBase {
        @Override
        public void append(AppendRequest request, StreamObserver<AppendResponse> observer) {
            StatusRuntimeException elsewhere = route("append");
            if (elsewhere != null) {
                observer.onError(elsewhere);
                return;
            }
            write(observer, () -> {
                if (request.hasExpectedEnd() && request.getExpectedEnd() != cluster.end()) {
                    throw Errors.endConflict(request.getExpectedEnd(), cluster.end());
                }
                return cluster.apply(request.getRecordsList(), com.google.protobuf.ByteString.EMPTY, 0);
            });
        }

        @Override
        public StreamObserver<AppendSessionRequest> appendSession(StreamObserver<AppendSessionResponse> observer) {
            return new FakeSession(cluster, id, observer, route("session"));
        }

        @Override
        public void read(ReadRequest request, StreamObserver<ReadResponse> observer) {
            boolean any = request.getMode() == tidemark.v1.ReadMode.READ_MODE_ANY;
            StatusRuntimeException elsewhere = any ? null : route("read");
            if (any) {
                cluster.called(id + " read any" + (NO_FORWARD.get() ? " direct" : " forward"));
            }
            if (elsewhere != null) {
                observer.onError(elsewhere);
                return;
            }
            cluster.reading(
                    new FakeRead(cluster, FakeServer.this, request, (ServerCallStreamObserver<ReadResponse>) observer));
        }

        @Override
        public void getTail(GetTailRequest request, StreamObserver<GetTailResponse> observer) {
            StatusRuntimeException elsewhere =
                    request.getMode() == tidemark.v1.ReadMode.READ_MODE_ANY ? null : route("tail");
            if (elsewhere != null) {
                observer.onError(elsewhere);
                return;
            }
            write(
                    observer,
                    () -> GetTailResponse.newBuilder()
                            .setStartOffset(cluster.start())
                            .setEndOffset(cluster.end())
                            .setServerId(id)
                            .build());
        }

        @Override
        public void truncate(TruncateRequest request, StreamObserver<TruncateResponse> observer) {
            StatusRuntimeException elsewhere = route("truncate");
            if (elsewhere != null) {
                observer.onError(elsewhere);
                return;
            }
            write(observer, () -> {
                long before = cluster.start();
                long after = request.getBefore().hasEnd()
                        ? cluster.end()
                        : Math.max(before, request.getBefore().getOffset());
                if (!request.getDryRun()) {
                    cluster.truncate(after);
                }
                return TruncateResponse.newBuilder()
                        .setPreviousStartOffset(before)
                        .setStartOffset(after)
                        .setRemovedRecords(after - before)
                        .build();
            });
        }
    }

    private final class Admin extends AdminServiceGrpc.AdminServiceImplBase {
        @Override
        public void createStream(CreateStreamRequest request, StreamObserver<CreateStreamResponse> observer) {
            cluster.called(id + " create");
            write(
                    observer,
                    () -> CreateStreamResponse.newBuilder()
                            .setStream(Stream.newBuilder()
                                    .setName(request.getName())
                                    .setSettings(request.getSettings()))
                            .setCreated(cluster.create(request.getName()))
                            .build());
        }

        @Override
        public void getStream(GetStreamRequest request, StreamObserver<GetStreamResponse> observer) {
            observer.onNext(GetStreamResponse.newBuilder()
                    .setStream(Stream.newBuilder()
                            .setName(request.getName())
                            .setStreamId("id-of-" + request.getName())
                            .setLeaderId(cluster.leader()))
                    .build());
            observer.onCompleted();
        }

        @Override
        public void deleteStream(DeleteStreamRequest request, StreamObserver<DeleteStreamResponse> observer) {
            cluster.called(id + " delete " + request.getStreamId());
            write(observer, () -> {
                if (!cluster.delete(request.getName())) {
                    throw Errors.of(
                            io.grpc.Status.Code.NOT_FOUND,
                            tidemark.v1.ErrorReason.ERROR_REASON_STREAM_NOT_FOUND,
                            tidemark.v1.Effect.EFFECT_NONE);
                }
                return DeleteStreamResponse.getDefaultInstance();
            });
        }

        @Override
        public void describeCluster(DescribeClusterRequest request, StreamObserver<DescribeClusterResponse> observer) {
            cluster.called(id + " describe");
            DescribeClusterResponse.Builder response =
                    DescribeClusterResponse.newBuilder().setServerId(id);
            for (FakeServer server : cluster.servers.values()) {
                String advertised = cluster.advertised.getOrDefault(
                        server.id, FakeCluster.endpoint(server.id).toString());
                response.addServersBuilder().setServerId(server.id).setClientEndpoint(advertised);
            }
            observer.onNext(response.build());
            observer.onCompleted();
            cluster.called(id + " described");
        }
    }
}
