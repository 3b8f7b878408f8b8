package tidemark.client;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import tidemark.v1.AppendSessionRequest;

/** Some {@code add}s that travel as one atomic append. Filled and used under its appender's lock. */
final class AppendBatch {
    private final List<Add> adds = new ArrayList<>();
    private int recordCount;
    private int bytes;
    private @Nullable AppendSessionRequest request;

    /** The records of one {@code add}, their encoded size, and its future. */
    record Add(List<LogRecord> records, int bytes, CompletableFuture<AppendResult> future) {
        static Add of(List<LogRecord> records, int bytes) {
            return new Add(List.copyOf(records), bytes, new CompletableFuture<>());
        }
    }

    void join(Add add) {
        if (request != null) {
            throw new IllegalStateException("a batch does not change once its request is made");
        }
        adds.add(add);
        recordCount += add.records().size();
        bytes += add.bytes();
    }

    List<Add> adds() {
        return adds;
    }

    int recordCount() {
        return recordCount;
    }

    int bytes() {
        return bytes;
    }

    /** The message that asks for this append; the same one each time it is sent. */
    AppendSessionRequest request() {
        AppendSessionRequest made = request;
        if (made == null) {
            AppendSessionRequest.Append.Builder append = AppendSessionRequest.Append.newBuilder();
            for (Add add : adds) {
                add.records().forEach(record -> append.addRecords(record.proto()));
            }
            made = AppendSessionRequest.newBuilder().setAppend(append).build();
            request = made;
        }
        return made;
    }

    /** Gives each add its part of the offsets. */
    void succeed(AppendResult whole) {
        long base = whole.baseOffset();
        for (Add add : adds) {
            long end = base + add.records().size();
            add.future().complete(new AppendResult(base, end, whole.timestampMs(), whole.term()));
            base = end;
        }
    }

    void fail(TidemarkException exception) {
        adds.forEach(add -> add.future().completeExceptionally(exception));
    }
}
