package tidemark.client;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A reader whose user pulls: holds chunks up to a number of bytes, and asks for more as they are taken. */
final class BufferedReader implements RecordReader, ResumingRead.Sink {
    private final String stream;
    private final int bufferBytes;
    private final ResumingRead read;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<ReadCursor.Chunk> chunks = new ArrayDeque<>();

    /** Bytes of records in {@link #chunks}; the chunk that is being returned counts until its last record. */
    private long heldBytes;

    /** Next record of the first chunk. */
    private int nextIndex;

    private ReadProgress progress = new ReadProgress(-1, -1, -1, false, false);
    private boolean ended;
    private @Nullable ReadProgress lastProgress;
    private @Nullable TidemarkException failure;

    private BufferedReader(ClientCore core, String stream, ReadOptions options) {
        this.stream = stream;
        this.bufferBytes = options.bufferBytes();
        this.read = new ResumingRead(core, stream, options, this);
    }

    static BufferedReader open(ClientCore core, String stream, ReadOptions options) {
        BufferedReader reader = new BufferedReader(core, stream, options);
        reader.read.request();
        reader.read.start();
        return reader;
    }

    // ---- the user's side

    @Override
    public @Nullable StoredLogRecord next() {
        while (true) {
            StoredLogRecord record = poll(Duration.ofDays(1));
            if (record != null || ended()) {
                return record;
            }
        }
    }

    @Override
    public @Nullable StoredLogRecord poll(Duration timeout) {
        StoredLogRecord record;
        lock.lock();
        try {
            long left = timeout.toNanos();
            record = take();
            while (record == null && !ended && left > 0) {
                left = changed.awaitNanos(left);
                record = take();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new TidemarkException.Closed(stream, "interrupted while waiting for a record", interrupted);
        } finally {
            lock.unlock();
        }
        askForMore();
        return record;
    }

    /** Takes what is here, without waiting; sets {@code ended}, or throws the failure, once all before it was taken. */
    private @Nullable StoredLogRecord take() {
        if (failure instanceof TidemarkException.Closed) {
            throw failure;
        }
        ReadCursor.Chunk chunk = chunks.peek();
        while (chunk != null && chunk.records().isEmpty()) {
            finishChunk(chunk);
            chunk = chunks.peek();
        }
        if (chunk == null) {
            if (failure != null) {
                throw failure;
            }
            if (lastProgress != null) {
                progress = lastProgress;
                ended = true;
            }
            return null;
        }
        StoredLogRecord record = chunk.records().get(nextIndex++);
        if (nextIndex == chunk.records().size()) {
            finishChunk(chunk);
        } else {
            ReadProgress after = chunk.progress();
            progress = new ReadProgress(record.offset() + 1, after.startOffset(), after.endOffset(), false, false);
        }
        return record;
    }

    private void finishChunk(ReadCursor.Chunk chunk) {
        chunks.remove();
        nextIndex = 0;
        heldBytes -= chunk.bytes();
        progress = chunk.progress();
    }

    @Override
    public boolean ended() {
        lock.lock();
        try {
            return ended;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public ReadProgress progress() {
        lock.lock();
        try {
            if (!progress.caughtUp() || chunks.isEmpty()) {
                return progress;
            }
            return new ReadProgress(
                    progress.nextOffset(), progress.startOffset(), progress.endOffset(), false, progress.endOfStream());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        read.stop("the reader is closed");
        failed(new TidemarkException.Closed(stream, "the reader is closed", null));
    }

    // ---- the client's side

    private void askForMore() {
        boolean space;
        lock.lock();
        try {
            space = heldBytes < bufferBytes && chunks.size() < CHUNKS_MAX;
        } finally {
            lock.unlock();
        }
        if (space) {
            read.request();
        }
    }

    /** Bounds empty chunks (heartbeats) of a user who does not read. */
    private static final int CHUNKS_MAX = 1_024;

    @Override
    public void chunk(ReadCursor.Chunk chunk) {
        lock.lock();
        try {
            if (failure instanceof TidemarkException.Closed) {
                return;
            }
            chunks.add(chunk);
            heldBytes += chunk.bytes();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        askForMore();
    }

    @Override
    public void end(ReadProgress last) {
        lock.lock();
        try {
            lastProgress = last;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void failed(TidemarkException cause) {
        lock.lock();
        try {
            if (failure == null || cause instanceof TidemarkException.Closed) {
                failure = cause;
            }
            if (cause instanceof TidemarkException.Closed) {
                chunks.clear();
                heldBytes = 0;
                nextIndex = 0;
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
