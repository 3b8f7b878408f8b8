package tidemark.statemachine.machine;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.model.StreamId;
import tidemark.statemachine.segment.Layout;
import tidemark.statemachine.segment.SegmentFiles;

/**
 * Segments that do not belong to the state: truncated ones, and what an earlier run left. Their files are deleted only after a manifest
 * that does not name them is durable, because until then a crash would bring back a state that does.
 *
 * <p>The applier's, but for {@link #bytes}.
 */
final class Garbage {
    private record Item(StreamId stream, long baseOffset) {}

    /** Says which segments belong to the state. */
    interface Needed {
        boolean test(StreamId stream, long baseOffset);
    }

    private final SegmentFiles files;
    private final Layout layout;
    /** With the bytes that each frees. */
    private final Map<Item, Long> items = new LinkedHashMap<>();

    private final AtomicLong bytes = new AtomicLong();

    Garbage(SegmentFiles files, Layout layout) {
        this.files = files;
        this.layout = layout;
    }

    /** What was added before is added up: a segment and its index may be found one by one. */
    void add(StreamId stream, long baseOffset, long fileBytes) {
        items.merge(new Item(stream, baseOffset), fileBytes, Long::sum);
        bytes.addAndGet(fileBytes);
    }

    /** What deleting all would free. Any thread. */
    long bytes() {
        return bytes.get();
    }

    /**
     * Deletes the files of all, but for segments that were made anew since. Not durable: what comes back in a crash is found when the
     * group is opened.
     */
    void delete(Needed needed) throws StorageException {
        for (Item item : items.keySet()) {
            if (!needed.test(item.stream(), item.baseOffset())) {
                delete(layout.segment(item.stream(), item.baseOffset()));
                delete(layout.index(item.stream(), item.baseOffset()));
            }
        }
        items.clear();
        bytes.set(0);
    }

    private void delete(String path) throws StorageException {
        files.fileSystem().delete(path);
        files.forget(path);
    }
}
