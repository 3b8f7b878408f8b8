package tidemark.client;

import com.google.protobuf.ByteString;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import org.jspecify.annotations.Nullable;
import tidemark.v1.AppendSessionRequest;
import tidemark.v1.AppendSessionResponse;

/** The server's side of one {@code AppendSession}. gRPC calls it by one thread at a time. */
final class FakeSession implements StreamObserver<AppendSessionRequest> {
    private final FakeCluster cluster;
    private final String serverId;
    private final StreamObserver<AppendSessionResponse> answers;
    private final @Nullable StatusRuntimeException elsewhere;
    private ByteString writerId = ByteString.EMPTY;
    private long sequence;
    private boolean over;

    FakeSession(
            FakeCluster cluster,
            String serverId,
            StreamObserver<AppendSessionResponse> answers,
            @Nullable StatusRuntimeException elsewhere) {
        this.cluster = cluster;
        this.serverId = serverId;
        this.answers = answers;
        this.elsewhere = elsewhere;
    }

    @Override
    public void onNext(AppendSessionRequest request) {
        if (over) {
            return;
        }
        if (request.hasOpen()) {
            writerId = request.getOpen().getWriterId();
            sequence = request.getOpen().getFirstSequence();
            if (elsewhere != null) {
                end(elsewhere);
            }
            return;
        }
        append(request.getAppend());
    }

    private void append(AppendSessionRequest.Append append) {
        FakeCluster.Fate fate = cluster.nextFate();
        AppendSessionResponse answer = AppendSessionResponse.getDefaultInstance();
        if (fate.applied()) {
            try {
                if (sequence > 0 && !writerId.isEmpty() && !cluster.remembers(writerId)) {
                    throw Errors.unknownWriter();
                }
                answer = AppendSessionResponse.newBuilder()
                        .setAppended(cluster.apply(append.getRecordsList(), writerId, sequence))
                        .build();
            } catch (StatusRuntimeException refused) {
                end(refused);
                return;
            }
        }
        sequence++;
        cluster.batch(append.getRecordsCount());
        cluster.called(serverId + " batch");
        if (fate.failure() != null) {
            end(fate.failure());
        } else if (fate.answered()) {
            answers.onNext(answer);
        } else {
            over = true;
        }
    }

    private void end(StatusRuntimeException failure) {
        over = true;
        answers.onError(failure);
    }

    @Override
    public void onError(Throwable cancelled) {
        over = true;
        cluster.called(serverId + " session cancelled");
    }

    @Override
    public void onCompleted() {
        if (!over) {
            over = true;
            answers.onCompleted();
            cluster.called(serverId + " session completed");
        }
    }
}
