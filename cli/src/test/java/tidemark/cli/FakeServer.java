package tidemark.cli;

import com.google.protobuf.Any;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.StatusProto;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import tidemark.v1.AckLevel;
import tidemark.v1.AppendResponse;
import tidemark.v1.EndConflict;
import tidemark.v1.ErrorDetail;
import tidemark.v1.ErrorReason;
import tidemark.v1.OffsetOutOfRange;
import tidemark.v1.Record;
import tidemark.v1.StoredRecord;
import tidemark.v1.Stream;
import tidemark.v1.StreamSettings;

/** A server that keeps its streams in memory, on a free port of the loopback interface. Guarded by its own lock. */
final class FakeServer implements AutoCloseable {
    /** Timestamp of the first record; each append is one second after the one before it. */
    static final long FIRST_TIMESTAMP_MS = 1_700_000_000_000L;

    /** One stream. */
    static final class Log {
        final String name;
        StreamSettings settings;
        final List<StoredRecord> records = new ArrayList<>();
        long start;
        long end;
        long lastTimestampMs;
        long revision = 1;
        boolean sealed;

        Log(String name, StreamSettings settings) {
            this.name = name;
            this.settings = settings;
        }

        Stream describe(boolean bounds) {
            return Stream.newBuilder()
                    .setName(name)
                    .setStreamId("5e0f7a52-0000-4000-8000-000000000001")
                    .setGroupId("5e0f7a52-0000-4000-8000-000000000002")
                    .setSettings(settings)
                    .setCreatedMs(FIRST_TIMESTAMP_MS)
                    .setSealed(sealed)
                    .addReplicaIds("n1")
                    .setLeaderId("n1")
                    .setStartOffset(bounds ? start : -1)
                    .setEndOffset(bounds ? end : -1)
                    .setStoredBytes(bounds ? 4096 : -1)
                    .setLastTimestampMs(lastTimestampMs)
                    .setRevision(revision)
                    .build();
        }
    }

    private final Map<String, Log> logs = new TreeMap<>();
    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final Server server;

    /** The failure to answer appends with once so many records are stored; null: none. */
    private @Nullable StatusRuntimeException appendFailure;

    private long appendFailureAtEnd;
    private @Nullable StatusRuntimeException adminFailure;

    FakeServer() throws IOException {
        ServerBuilder<?> builder =
                NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        server = builder.executor(executor)
                .addService(new FakeLogService(this))
                .addService(new FakeAdminService(this))
                .build()
                .start();
    }

    String endpoint() {
        return "127.0.0.1:" + server.getPort();
    }

    /** From the append on that would bring a stream's end beyond {@code end}, appends fail so. */
    synchronized void failAppendsBeyond(long end, StatusRuntimeException failure) {
        appendFailureAtEnd = end;
        appendFailure = failure;
    }

    /** Looking a stream up fails so. */
    synchronized void failAdmin(StatusRuntimeException failure) {
        adminFailure = failure;
    }

    synchronized Log create(String name, StreamSettings settings) {
        Log log = new Log(name, settings);
        logs.put(name, log);
        return log;
    }

    synchronized Log create(String name) {
        return create(
                name,
                StreamSettings.newBuilder()
                        .setReplicas(1)
                        .setMaxRecordBytes(1_000_000)
                        .build());
    }

    synchronized void delete(String name) {
        find(name);
        logs.remove(name);
    }

    synchronized boolean exists(String name) {
        return logs.containsKey(name);
    }

    synchronized List<Log> list(String prefix) {
        return logs.values().stream().filter(log -> log.name.startsWith(prefix)).toList();
    }

    synchronized Log find(String name) {
        if (adminFailure != null) {
            throw adminFailure;
        }
        Log log = logs.get(name);
        if (log == null) {
            throw failure(
                    Status.Code.NOT_FOUND,
                    ErrorDetail.newBuilder()
                            .setReason(ErrorReason.ERROR_REASON_STREAM_NOT_FOUND)
                            .setEffect(tidemark.v1.Effect.EFFECT_NONE)
                            .setStream(name)
                            .build(),
                    "no stream named " + name);
        }
        return log;
    }

    /** What is stored, as text. */
    synchronized List<String> payloads(String name) {
        return find(name).records.stream()
                .map(stored -> stored.getRecord().getPayload().toStringUtf8())
                .toList();
    }

    synchronized List<StoredRecord> records(String name) {
        return List.copyOf(find(name).records);
    }

    synchronized AppendResponse append(String name, List<Record> records, @Nullable Long expectedEnd) {
        Log log = find(name);
        if (appendFailure != null && log.end + records.size() > appendFailureAtEnd) {
            throw appendFailure;
        }
        if (log.sealed) {
            throw refusal(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_SEALED, name + " is sealed");
        }
        if (expectedEnd != null && expectedEnd != log.end) {
            throw failure(
                    Status.Code.ABORTED,
                    ErrorDetail.newBuilder()
                            .setReason(ErrorReason.ERROR_REASON_END_CONFLICT)
                            .setEffect(tidemark.v1.Effect.EFFECT_NONE)
                            .setStream(name)
                            .setEndConflict(EndConflict.newBuilder()
                                    .setExpectedEnd(expectedEnd)
                                    .setActualEnd(log.end))
                            .build(),
                    "the end is " + log.end);
        }
        long base = log.end;
        log.lastTimestampMs = log.lastTimestampMs == 0 ? FIRST_TIMESTAMP_MS : log.lastTimestampMs + 1000;
        for (Record record : records) {
            log.records.add(StoredRecord.newBuilder()
                    .setOffset(log.end++)
                    .setTimestampMs(log.lastTimestampMs)
                    .setRecord(record)
                    .build());
        }
        notifyAll();
        return AppendResponse.newBuilder()
                .setBaseOffset(base)
                .setEndOffset(log.end)
                .setTimestampMs(log.lastTimestampMs)
                .setTerm(1)
                .setAckLevel(AckLevel.ACK_LEVEL_QUORUM)
                .build();
    }

    synchronized StoredRecord record(Log log, long offset) {
        return log.records.get(Math.toIntExact(offset - log.start));
    }

    synchronized void truncate(Log log, long start) {
        log.records.subList(0, Math.toIntExact(start - log.start)).clear();
        log.start = start;
    }

    synchronized void seal(String name) {
        find(name).sealed = true;
        notifyAll();
    }

    /** Waits until there is a record at {@code offset}, or the stream is sealed. */
    synchronized void awaitRecord(Log log, long offset) throws InterruptedException {
        while (log.end <= offset && !log.sealed) {
            wait();
        }
    }

    /** Fails for an offset outside of the readable range. */
    synchronized void checkRange(Log log, long offset) {
        if (offset < log.start || offset > log.end) {
            boolean below = offset < log.start;
            throw failure(
                    Status.Code.OUT_OF_RANGE,
                    ErrorDetail.newBuilder()
                            .setReason(
                                    below
                                            ? ErrorReason.ERROR_REASON_OFFSET_TRUNCATED
                                            : ErrorReason.ERROR_REASON_OFFSET_BEYOND_END)
                            .setEffect(tidemark.v1.Effect.EFFECT_NONE)
                            .setStream(log.name)
                            .setOffsetOutOfRange(OffsetOutOfRange.newBuilder()
                                    .setRequestedOffset(offset)
                                    .setStartOffset(log.start)
                                    .setEndOffset(log.end))
                            .build(),
                    "offset " + offset + " is outside of " + log.start + " to " + log.end);
        }
    }

    /** An error as servers make it. */
    static StatusRuntimeException failure(Status.Code code, ErrorDetail detail, String message) {
        return StatusProto.toStatusRuntimeException(com.google.rpc.Status.newBuilder()
                .setCode(code.value())
                .setMessage(message)
                .addDetails(Any.pack(detail))
                .build());
    }

    /** An error without facts that had no effect. */
    static StatusRuntimeException refusal(Status.Code code, ErrorReason reason, String message) {
        return failure(
                code,
                ErrorDetail.newBuilder()
                        .setReason(reason)
                        .setEffect(tidemark.v1.Effect.EFFECT_NONE)
                        .build(),
                message);
    }

    @Override
    public void close() {
        server.shutdownNow();
        executor.shutdownNow();
    }
}
