package tidemark.client;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tidemark.v1.Position;
import tidemark.v1.ReadRequest;
import tidemark.v1.ReadResponse;
import tidemark.v1.StoredRecord;

/**
 * How far a read has come over all its calls, and what to ask for next. Checks that records come without gap or repeat. No
 * threads, no time. Not thread-safe.
 */
final class ReadCursor {
    private final String stream;
    private final ReadOptions options;
    private long nextOffset = -1;
    private long startOffset = -1;
    private long endOffset = -1;
    private boolean caughtUp;
    private boolean endOfStream;
    private boolean done;
    private long records;
    private long bytes;

    /** For a read that does not follow: the end when it began, as the first answer had it; -1 before. */
    private long firstEnd = -1;

    /** Records of one message, and how far the read has come with them. */
    record Chunk(List<StoredLogRecord> records, ReadProgress progress, long bytes) {}

    ReadCursor(String stream, ReadOptions options) {
        this.stream = stream;
        this.options = options;
    }

    /** Whether everything asked for was delivered, so that no other call is needed. */
    boolean done() {
        return done;
    }

    /** Whether a server has said where the read stands: from then on it goes on by offset. */
    boolean located() {
        return nextOffset >= 0;
    }

    ReadProgress progress() {
        return new ReadProgress(nextOffset, startOffset, endOffset, caughtUp, endOfStream);
    }

    /** The request of the next call. */
    ReadRequest request() {
        ReadRequest.Builder request = ReadRequest.newBuilder()
                .setStream(stream)
                .setFollow(options.follow())
                .setMode(options.mode().proto())
                .setFrom(
                        located()
                                ? Position.newBuilder().setOffset(nextOffset).build()
                                : options.from().proto());
        options.untilOffset().ifPresent(request::setUntilOffset);
        options.untilTimestampMs().ifPresent(request::setUntilTimestampMs);
        options.maxRecords().ifPresent(max -> request.setMaxRecords(max - records));
        options.maxBytes().ifPresent(max -> request.setMaxBytes(max - bytes));
        if (!options.follow() && firstEnd >= 0) {
            request.setUntilOffset(request.hasUntilOffset() ? Math.min(request.getUntilOffset(), firstEnd) : firstEnd);
        }
        return request.build();
    }

    /**
     * Takes the next message.
     *
     * @throws TidemarkException.ServerDefect if its records are not the ones that follow
     */
    Chunk accept(ReadResponse message, Endpoint from) {
        startOffset = message.getStartOffset();
        endOffset = message.getEndOffset();
        if (firstEnd < 0) {
            firstEnd = endOffset;
        }
        List<StoredLogRecord> accepted = new ArrayList<>(message.getRecordsCount());
        long acceptedBytes = 0;
        for (StoredRecord stored : message.getRecordsList()) {
            long size = RecordLimits.sizeBytes(stored.getRecord());
            if (done || exceeds(size)) {
                done = true;
                break;
            }
            requireNext(stored.getOffset(), from);
            nextOffset = stored.getOffset() + 1;
            records++;
            bytes += size;
            acceptedBytes += size;
            accepted.add(new StoredLogRecord(
                    stored.getOffset(), stored.getTimestampMs(), LogRecord.wrap(stored.getRecord())));
        }
        if (!done) {
            requireProgress(message, from);
            nextOffset = message.getNextOffset();
            endOfStream = message.getEndOfStream();
        }
        caughtUp = message.getCaughtUp() && !done;
        done |= endOfStream;
        return new Chunk(accepted, progress(), acceptedBytes);
    }

    /** The server ended the call well. Answers whether that is the end of the read; else the call was cut short. */
    boolean callEnded() {
        boolean endless = options.follow()
                && options.untilOffset().isEmpty()
                && options.untilTimestampMs().isEmpty()
                && options.maxRecords().isEmpty()
                && options.maxBytes().isEmpty();
        done |= !endless;
        return done;
    }

    /** A later call's first record may be over the rest of the limit: a server lets one pass, the read as a whole does not. */
    private boolean exceeds(long size) {
        return records > 0
                && options.maxBytes().isPresent()
                && size > options.maxBytes().getAsLong() - bytes;
    }

    /** Whether another call would have nothing to deliver: all bounds are checked that this side knows. */
    boolean nothingLeft() {
        return done
                || (options.maxRecords().isPresent()
                        && records >= options.maxRecords().getAsLong())
                || (options.maxBytes().isPresent()
                        && bytes >= options.maxBytes().getAsLong())
                || (options.untilOffset().isPresent()
                        && located()
                        && nextOffset >= options.untilOffset().getAsLong())
                || (!options.follow() && located() && nextOffset >= firstEnd);
    }

    private void requireNext(long offset, Endpoint from) {
        long expected = nextExpected();
        if (expected >= 0 && offset != expected) {
            throw defect(from, "sent offset " + offset + " where " + expected + " follows");
        }
    }

    private long nextExpected() {
        return located() ? nextOffset : options.from().asOffset().orElse(-1);
    }

    private void requireProgress(ReadResponse message, Endpoint from) {
        boolean wrong = message.getRecordsCount() > 0
                ? message.getNextOffset() != nextOffset
                : located() && message.getNextOffset() != nextOffset;
        if (wrong) {
            throw defect(from, "says the next offset is " + message.getNextOffset() + ", but it is " + nextOffset);
        }
    }

    private TidemarkException defect(Endpoint from, String what) {
        return new TidemarkException.ServerDefect(stream, from + " " + what, null);
    }

    /** The failure is a gap or an end that only a replica that lags can report to a read that goes on. */
    boolean mayBeLag(@Nullable TidemarkException failure) {
        return located() && failure instanceof TidemarkException.OffsetBeyondEnd;
    }
}
