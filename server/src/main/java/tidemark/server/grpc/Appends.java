package tidemark.server.grpc;

import com.google.protobuf.ByteString;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import tidemark.server.batch.Lane;
import tidemark.server.batch.Operation;
import tidemark.server.batch.ServerTime;
import tidemark.statemachine.format.Batch;
import tidemark.statemachine.model.Outcome;
import tidemark.v1.AckLevel;
import tidemark.v1.AppendRequest;
import tidemark.v1.AppendResponse;
import tidemark.v1.WriterSequence;

/** Appends to streams that this server leads. */
final class Appends {
    static final int WRITER_ID_BYTES = 16;

    private final Writes writes;
    private final ServerTime time;
    private final RpcMetrics metrics;

    Appends(Writes writes, ServerTime time, RpcMetrics metrics) {
        this.writes = writes;
        this.time = time;
        this.metrics = metrics;
    }

    CompletableFuture<AppendResponse> append(AppendRequest request, Here here) {
        String stream = request.getStream();
        Requests.ackLevel(request.getAckLevel());
        Optional<Operation.Writer> writer =
                request.hasWriter() ? Optional.of(writer(stream, request.getWriter())) : Optional.empty();
        Batch batch = Records.encode(
                stream, request.getRecordsList(), here.stream().settings().maxRecordBytes());
        OptionalLong expectedEnd =
                Requests.atLeast(0, stream, "expected_end", request.hasExpectedEnd(), request.getExpectedEnd());
        return append(here, new Operation.Append(here.stream().id(), batch, expectedEnd, writer), new Lane());
    }

    /** The response once the batch is committed and applied; or fails with the error for the client, or what can be turned into it. */
    CompletableFuture<AppendResponse> append(Here here, Operation.Append operation, Lane lane) {
        long started = time.monotonicNanos();
        return writes.submit(here, operation, lane).thenApply(outcome -> {
            AppendResponse response = response(outcome, here.stream().name());
            metrics.appended(
                    operation.batch().recordCount(),
                    operation.batch().body().remaining(),
                    time.monotonicNanos() - started);
            return response;
        });
    }

    private static AppendResponse response(Outcome outcome, String stream) {
        if (!(outcome instanceof Outcome.Appended appended)) {
            throw Failures.of(outcome, stream);
        }
        return AppendResponse.newBuilder()
                .setBaseOffset(appended.baseOffset())
                .setEndOffset(appended.endOffset())
                .setTimestampMs(appended.timestampMs())
                .setTerm(appended.term())
                .setAckLevel(AckLevel.ACK_LEVEL_QUORUM)
                .setDuplicate(appended.duplicate())
                .build();
    }

    private static Operation.Writer writer(String stream, WriterSequence writer) {
        return writer(stream, "writer.writer_id", writer.getWriterId(), "writer.sequence", writer.getSequence());
    }

    static Operation.Writer writer(String stream, String idField, ByteString id, String sequenceField, long sequence) {
        if (id.size() != WRITER_ID_BYTES) {
            throw Errors.invalidField(stream, idField, "must have " + WRITER_ID_BYTES + " bytes, not " + id.size());
        }
        Requests.atLeast(0, stream, sequenceField, true, sequence);
        return new Operation.Writer(id.asReadOnlyByteBuffer(), sequence);
    }
}
