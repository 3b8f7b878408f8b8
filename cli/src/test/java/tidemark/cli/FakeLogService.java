package tidemark.cli;

import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tidemark.v1.AppendRequest;
import tidemark.v1.AppendResponse;
import tidemark.v1.AppendSessionRequest;
import tidemark.v1.AppendSessionResponse;
import tidemark.v1.GetTailRequest;
import tidemark.v1.GetTailResponse;
import tidemark.v1.LogServiceGrpc;
import tidemark.v1.Position;
import tidemark.v1.ReadRequest;
import tidemark.v1.ReadResponse;
import tidemark.v1.StoredRecord;
import tidemark.v1.TruncateRequest;
import tidemark.v1.TruncateResponse;

/** The data half of {@link FakeServer}. */
final class FakeLogService extends LogServiceGrpc.LogServiceImplBase {
    private final FakeServer server;

    FakeLogService(FakeServer server) {
        this.server = server;
    }

    @Override
    public void append(AppendRequest request, StreamObserver<AppendResponse> answer) {
        FakeAdminService.answer(
                answer,
                () -> server.append(
                        request.getStream(),
                        request.getRecordsList(),
                        request.hasExpectedEnd() ? request.getExpectedEnd() : null));
    }

    @Override
    public StreamObserver<AppendSessionRequest> appendSession(StreamObserver<AppendSessionResponse> answer) {
        return new StreamObserver<>() {
            private @Nullable String stream;
            private boolean failed;

            @Override
            public void onNext(AppendSessionRequest request) {
                if (request.hasOpen()) {
                    stream = request.getOpen().getStream();
                } else if (stream != null && !failed) {
                    append(stream, request.getAppend());
                }
            }

            private void append(String name, AppendSessionRequest.Append append) {
                try {
                    answer.onNext(AppendSessionResponse.newBuilder()
                            .setAppended(server.append(
                                    name,
                                    append.getRecordsList(),
                                    append.hasExpectedEnd() ? append.getExpectedEnd() : null))
                            .build());
                } catch (StatusRuntimeException e) {
                    failed = true;
                    answer.onError(e);
                }
            }

            @Override
            public void onError(Throwable cancelled) {
                failed = true;
            }

            @Override
            public void onCompleted() {
                if (!failed) {
                    answer.onCompleted();
                }
            }
        };
    }

    /** Sends a record a message. */
    @Override
    public void read(ReadRequest request, StreamObserver<ReadResponse> answer) {
        ServerCallStreamObserver<ReadResponse> call = (ServerCallStreamObserver<ReadResponse>) answer;
        try {
            FakeServer.Log log = server.find(request.getStream());
            long next = resolve(log, request.getFrom());
            server.checkRange(log, next);
            long until = log.end;
            long count = 0;
            boolean ended = request.hasMaxRecords() && count == request.getMaxRecords();
            while (!ended && !call.isCancelled()) {
                if (next == log.end || (!request.getFollow() && next == until)) {
                    if (!request.getFollow()) {
                        break;
                    }
                    call.onNext(response(log, List.of(), next, log.sealed));
                    if (log.sealed) {
                        break;
                    }
                    server.awaitRecord(log, next);
                    continue;
                }
                StoredRecord record = server.record(log, next);
                if (beyond(request, record)) {
                    break;
                }
                call.onNext(response(log, List.of(record), ++next, false));
                ended = request.hasMaxRecords() && ++count == request.getMaxRecords();
            }
            if (!call.isCancelled()) {
                call.onCompleted();
            }
        } catch (StatusRuntimeException e) {
            call.onError(e);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean beyond(ReadRequest request, StoredRecord record) {
        return (request.hasUntilOffset() && record.getOffset() >= request.getUntilOffset())
                || (request.hasUntilTimestampMs() && record.getTimestampMs() >= request.getUntilTimestampMs());
    }

    private static ReadResponse response(FakeServer.Log log, List<StoredRecord> records, long next, boolean ended) {
        return ReadResponse.newBuilder()
                .addAllRecords(records)
                .setStartOffset(log.start)
                .setEndOffset(log.end)
                .setCaughtUp(next == log.end)
                .setEndOfStream(ended)
                .setNextOffset(next)
                .build();
    }

    private long resolve(FakeServer.Log log, Position position) {
        return switch (position.getAtCase()) {
            case OFFSET -> position.getOffset();
            case TIMESTAMP_MS ->
                server.records(log.name).stream()
                        .filter(stored -> stored.getTimestampMs() >= position.getTimestampMs())
                        .mapToLong(StoredRecord::getOffset)
                        .findFirst()
                        .orElse(log.end);
            case LAST -> Math.max(log.start, log.end - position.getLast());
            case START, AT_NOT_SET -> log.start;
            case END -> log.end;
        };
    }

    @Override
    public void getTail(GetTailRequest request, StreamObserver<GetTailResponse> answer) {
        FakeAdminService.answer(answer, () -> {
            FakeServer.Log log = server.find(request.getStream());
            return GetTailResponse.newBuilder()
                    .setStartOffset(log.start)
                    .setEndOffset(log.end)
                    .setLastTimestampMs(log.lastTimestampMs)
                    .setSealed(log.sealed)
                    .setServerId("n1")
                    .setTerm(1)
                    .build();
        });
    }

    @Override
    public void truncate(TruncateRequest request, StreamObserver<TruncateResponse> answer) {
        FakeAdminService.answer(answer, () -> {
            FakeServer.Log log = server.find(request.getStream());
            long before = log.start;
            long start = Math.max(before, resolve(log, request.getBefore()));
            server.checkRange(log, start);
            if (!request.getDryRun()) {
                server.truncate(log, start);
            }
            return TruncateResponse.newBuilder()
                    .setPreviousStartOffset(before)
                    .setStartOffset(start)
                    .setRemovedRecords(start - before)
                    .setFreedBytes((start - before) * 1024)
                    .build();
        });
    }
}
