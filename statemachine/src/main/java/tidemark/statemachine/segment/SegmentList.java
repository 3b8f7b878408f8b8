package tidemark.statemachine.segment;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.format.IndexEntry;

/**
 * The segments of a stream at one moment, in order and without gaps. The last one may be the tail, which is appended to: later lists
 * have it longer. Immutable, so any thread may use it without locks; cheap to change while the tail grows, and a copy of the list when
 * a segment is closed or dropped.
 */
public final class SegmentList {
    /** The growing last segment. Its index knows what was appended since the machine was opened; what was before is indexed on need. */
    private record Tail(Segment segment, String path, SparseIndex index) {}

    private final StreamFiles files;
    private final List<Segment> closed;
    private final long closedBytes;
    private final @Nullable Tail tail;

    private SegmentList(StreamFiles files, List<Segment> closed, long closedBytes, @Nullable Tail tail) {
        this.files = files;
        this.closed = closed;
        this.closedBytes = closedBytes;
        this.tail = tail;
    }

    /** The segments that a manifest names; the last one is the tail. */
    public static SegmentList of(StreamFiles files, List<Segment> segments) {
        if (segments.isEmpty()) {
            return new SegmentList(files, List.of(), 0, null);
        }
        List<Segment> closed = List.copyOf(segments.subList(0, segments.size() - 1));
        Segment last = segments.get(segments.size() - 1);
        IndexEntry end = new IndexEntry(last.endOffset(), last.lastTimestampMs(), last.length());
        SparseIndex index = new SparseIndex(files.files().limits().indexIntervalBytes(), end);
        return new SegmentList(files, closed, bytes(closed), new Tail(last, files.path(last.baseOffset()), index));
    }

    public StreamFiles files() {
        return files;
    }

    /** All segments, in order. */
    public List<Segment> all() {
        if (tail == null) {
            return closed;
        }
        List<Segment> all = new ArrayList<>(closed);
        all.add(tail.segment());
        return Collections.unmodifiableList(all);
    }

    /** The segment that is appended to. */
    Optional<Segment> tail() {
        return Optional.ofNullable(tail).map(Tail::segment);
    }

    Optional<String> tailPath() {
        return Optional.ofNullable(tail).map(Tail::path);
    }

    Optional<SparseIndex> tailIndex() {
        return Optional.ofNullable(tail).map(Tail::index);
    }

    /** A new tail. */
    SegmentList withTail(Segment segment, String path, SparseIndex index) {
        return new SegmentList(files, closed, closedBytes, new Tail(segment, path, index));
    }

    /** The tail has grown. */
    SegmentList withTailGrown(Segment grown) {
        Tail now = Objects.requireNonNull(tail);
        return new SegmentList(files, closed, closedBytes, new Tail(grown, now.path(), now.index()));
    }

    /** The tail is closed: the next append begins another one. */
    SegmentList withTailClosed() {
        List<Segment> all = all();
        return new SegmentList(files, all, bytes(all), null);
    }

    /** The segments that hold records at or after an offset. */
    public SegmentList from(long startOffset) {
        List<Segment> kept = closed.stream()
                .filter(segment -> segment.endOffset() > startOffset)
                .toList();
        boolean tailKept = tail != null && tail.segment().endOffset() > startOffset;
        return new SegmentList(files, kept, bytes(kept), tailKept ? tail : null);
    }

    /** The segments that hold no record at or after an offset. */
    public List<Segment> before(long startOffset) {
        return all().stream()
                .filter(segment -> segment.endOffset() <= startOffset)
                .toList();
    }

    /** Bytes of all files. */
    public long bytes() {
        return closedBytes + (tail == null ? 0 : tail.segment().length());
    }

    /** Bytes of segments. */
    public static long bytes(List<Segment> segments) {
        return segments.stream().mapToLong(Segment::length).sum();
    }

    /** The segment that holds an offset. */
    public Optional<Segment> find(long offset) {
        if (tail != null && tail.segment().baseOffset() <= offset) {
            return Optional.of(tail.segment()).filter(segment -> offset < segment.endOffset());
        }
        int low = 0;
        int high = closed.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (closed.get(middle).endOffset() <= offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low < closed.size() && closed.get(low).baseOffset() <= offset
                ? Optional.of(closed.get(low))
                : Optional.empty();
    }

    /** The first segment that holds a record of this time or later. */
    public Optional<Segment> findTime(long timestampMs) {
        int low = 0;
        int high = closed.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (closed.get(middle).lastTimestampMs() < timestampMs) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low < closed.size()
                ? Optional.of(closed.get(low))
                : tail().filter(segment -> segment.lastTimestampMs() >= timestampMs);
    }

    /** A frame of a segment that begins at or before an offset which the segment holds; not far before. */
    public IndexEntry frameBefore(Segment segment, long offset) throws StorageException {
        SparseIndex grown = tailIndex(segment);
        if (grown != null && grown.from().offset() <= offset) {
            return grown.atOrBeforeOffset(offset);
        }
        return wholeIndex(segment, grown).atOrBeforeOffset(offset);
    }

    /** A frame of a segment such that no frame before it is of this time or later; the first one that is, is not far behind. */
    public IndexEntry frameBeforeTime(Segment segment, long timestampMs) throws StorageException {
        SparseIndex grown = tailIndex(segment);
        if (grown != null && grown.from().timestampMs() < timestampMs) {
            return grown.beforeTime(timestampMs);
        }
        return wholeIndex(segment, grown).beforeTime(timestampMs);
    }

    private @Nullable SparseIndex tailIndex(Segment segment) {
        return tail != null && tail.segment().baseOffset() == segment.baseOffset() ? tail.index() : null;
    }

    /** The index of a segment up to where the other one, if there is one, goes on. */
    private SparseIndex wholeIndex(Segment segment, @Nullable SparseIndex grown) throws StorageException {
        long length = grown == null ? segment.length() : grown.from().position();
        return files.index(segment.baseOffset(), length);
    }
}
