package tidemark.statemachine.segment;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import tidemark.statemachine.format.IndexCodec;
import tidemark.statemachine.format.IndexEntry;

/**
 * Some frames of a segment, or of its part from some frame on: at least an interval of bytes apart, in order. One writer beside many
 * readers; a reader may find frames that are newer than what it is to see, but none that keeps it from finding what it looks for.
 */
final class SparseIndex {
    private final int intervalBytes;
    private final IndexEntry from;

    private int count;
    private long[] offsets = new long[4];
    private long[] timestamps = new long[4];
    private long[] positions = new long[4];

    /** @param from where the part begins: the frame's offset and position, and the timestamp before it */
    SparseIndex(int intervalBytes, IndexEntry from) {
        this.intervalBytes = intervalBytes;
        this.from = from;
    }

    IndexEntry from() {
        return from;
    }

    /** Tells of the next frame. */
    synchronized void add(long offset, long timestampMs, long position) {
        long last = count == 0 ? from.position() : positions[count - 1];
        if (position - last >= intervalBytes && count < IndexCodec.ENTRIES_MAX) {
            put(offset, timestampMs, position);
        }
    }

    /** Takes over an index that was read from its file. */
    synchronized void addAll(List<IndexEntry> entries) {
        entries.forEach(entry -> put(entry.offset(), entry.timestampMs(), entry.position()));
    }

    private void put(long offset, long timestampMs, long position) {
        if (count == offsets.length) {
            offsets = Arrays.copyOf(offsets, count * 2);
            timestamps = Arrays.copyOf(timestamps, count * 2);
            positions = Arrays.copyOf(positions, count * 2);
        }
        offsets[count] = offset;
        timestamps[count] = timestampMs;
        positions[count] = position;
        count++;
    }

    /** The last known frame that begins at or before an offset, which is not before this part. */
    synchronized IndexEntry atOrBeforeOffset(long offset) {
        int found = Arrays.binarySearch(offsets, 0, count, offset);
        return entry(found >= 0 ? found : -found - 2);
    }

    /** The last known frame with a timestamp below this one, so that no frame before it has one at or above; else where this begins. */
    synchronized IndexEntry beforeTime(long timestampMs) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (timestamps[middle] < timestampMs) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return entry(low - 1);
    }

    synchronized List<IndexEntry> entries() {
        List<IndexEntry> entries = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            entries.add(entry(i));
        }
        return entries;
    }

    private IndexEntry entry(int i) {
        return i < 0 ? from : new IndexEntry(offsets[i], timestamps[i], positions[i]);
    }
}
