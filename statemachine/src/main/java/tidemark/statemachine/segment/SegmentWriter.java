package tidemark.statemachine.segment;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.format.FrameCodec;
import tidemark.statemachine.format.SegmentHeader;
import tidemark.statemachine.format.StoredBatch;
import tidemark.statemachine.model.StreamId;

/**
 * Appends to the segments of one group's streams. What is appended is gathered, and given to the system by {@link #flush}, usually with
 * one write for each stream; that makes nothing durable.
 *
 * <p>Where a segment ends depends on the frames and {@link EngineLimits#segmentBytes} only, so it is the same on all replicas.
 *
 * <p>Threads: {@link #sync} and {@link #writeIndexes} run beside the rest, one thread at a time; all else is the applier's.
 */
public final class SegmentWriter {
    /** A closed segment whose index file is to be written. */
    private record ToIndex(StreamFiles files, Segment segment, SparseIndex grown) {}

    private final SegmentFiles files;
    private final Layout layout;
    private final DirtyFiles dirty;
    /** Guarded by itself. */
    private final Deque<ToIndex> toIndex = new ArrayDeque<>();

    private final Set<StreamId> directoriesMade = new HashSet<>();

    /** What is gathered: consecutive bytes of one file. Null when there is nothing. */
    private @Nullable ByteBuffer gathered;

    private String gatheredPath = "";
    private long gatheredPosition;

    public SegmentWriter(SegmentFiles files, Layout layout) {
        this.files = files;
        this.layout = layout;
        this.dirty = new DirtyFiles(files);
    }

    /**
     * Appends a batch to the tail of a stream, or to a new one if there is none or it would become too long.
     *
     * @param batch begins where the stream ends
     * @return the stream's segments with it
     */
    public SegmentList append(SegmentList segments, StoredBatch batch) throws StorageException {
        int bytes = FrameCodec.frameBytes(batch.batch());
        SegmentList list = segments;
        Optional<Segment> tail = list.tail();
        if (tail.isPresent() && tail.get().length() + bytes > files.limits().segmentBytes()) {
            addToIndex(new ToIndex(list.files(), tail.get(), list.tailIndex().orElseThrow()));
            list = list.withTailClosed();
            tail = Optional.empty();
        }
        if (tail.isEmpty()) {
            list = create(list, batch.baseOffset());
        }
        Segment before = list.tail().orElseThrow();
        SparseIndex index = list.tailIndex().orElseThrow();
        ByteBuffer target = gather(list.tailPath().orElseThrow(), before.length(), bytes);
        FrameCodec.encode(target, batch);
        index.add(batch.baseOffset(), batch.timestampMs(), before.length());
        Segment grown =
                new Segment(before.baseOffset(), before.length() + bytes, batch.endOffset(), batch.timestampMs());
        return list.withTailGrown(grown);
    }

    /** A new tail, with nothing in it but the file's header: it gets its first frame at once. */
    private SegmentList create(SegmentList list, long baseOffset) throws StorageException {
        StreamFiles stream = list.files();
        String path = stream.path(baseOffset);
        flush();
        if (directoriesMade.add(stream.stream())) {
            files.fileSystem().createDirectories(layout.stream(stream.stream()));
        }
        // A file of this name may have been left by a run that was not checkpointed.
        files.forget(path);
        dirty.create(layout.stream(stream.stream()), path);
        stream.header(baseOffset).encode(gather(path, 0, SegmentHeader.BYTES));
        Segment empty = new Segment(baseOffset, SegmentHeader.BYTES, baseOffset, 0);
        return list.withTail(empty, path, stream.newIndex(baseOffset));
    }

    /** A buffer to put the next bytes of a file into. */
    private ByteBuffer gather(String path, long position, int bytes) throws StorageException {
        ByteBuffer buffer = gathered;
        if (buffer != null) {
            boolean continues = gatheredPosition + buffer.position() == position && gatheredPath.equals(path);
            if (continues && buffer.remaining() >= bytes) {
                return buffer;
            }
            flush();
        }
        buffer = files.takeWriteBuffer();
        gathered = buffer;
        gatheredPath = path;
        gatheredPosition = position;
        return buffer;
    }

    /** Writes what was gathered: from now on it can be read. */
    public void flush() throws StorageException {
        ByteBuffer buffer = gathered;
        if (buffer == null) {
            return;
        }
        gathered = null;
        dirty.write(gatheredPath, buffer.flip(), gatheredPosition);
        files.giveWriteBuffer(buffer);
    }

    /** The segment no longer belongs to the stream; its file is not written to any more, and need not become durable. */
    public void drop(StreamFiles stream, Segment segment) throws StorageException {
        String path = stream.path(segment.baseOffset());
        synchronized (toIndex) {
            toIndex.removeIf(waiting -> waiting.segment().baseOffset() == segment.baseOffset()
                    && waiting.files().stream().equals(stream.stream()));
        }
        if (gatheredPath.equals(path)) {
            flush();
        }
        dirty.drop(path);
    }

    /** Files that are not known to be durable. Any thread. */
    public int dirtyFiles() {
        return dirty.size();
    }

    /** Makes durable all that was flushed before the call. After a failure nothing may be written any more. */
    public void sync() throws StorageException {
        dirty.sync();
    }

    /** Writes the index files of segments that were closed since. Takes its time where one was begun before the machine was opened. */
    public void writeIndexes() throws StorageException {
        for (ToIndex next = pollToIndex(); next != null; next = pollToIndex()) {
            Segment segment = next.segment();
            StreamFiles stream = next.files();
            if (next.grown().from().position() == SegmentHeader.BYTES) {
                files.indexes().put(stream.path(segment.baseOffset()), segment.length(), next.grown());
            }
            stream.writeIndex(segment, stream.index(segment.baseOffset(), segment.length()));
        }
    }

    private void addToIndex(ToIndex closed) {
        synchronized (toIndex) {
            toIndex.add(closed);
        }
    }

    private @Nullable ToIndex pollToIndex() {
        synchronized (toIndex) {
            return toIndex.poll();
        }
    }

    /** Lets go of all files as they are. */
    public void close() throws StorageException {
        gathered = null;
        dirty.close();
    }
}
