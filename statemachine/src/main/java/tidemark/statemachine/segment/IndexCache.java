package tidemark.statemachine.segment;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Indexes of segments that are not written to any more, up to a number; the one not used for longest gives way. Many threads. */
final class IndexCache {
    private record Cached(long segmentBytes, SparseIndex index) {}

    private final int max;
    /** By path of the segment; from the one not used for longest to the latest. */
    private final Map<String, Cached> indexes = new LinkedHashMap<>(16, 0.75f, true);

    IndexCache(int max) {
        this.max = max;
    }

    /** The index of this length of a segment. */
    synchronized Optional<SparseIndex> get(String segmentPath, long segmentBytes) {
        return Optional.ofNullable(indexes.get(segmentPath))
                .filter(cached -> cached.segmentBytes() == segmentBytes)
                .map(Cached::index);
    }

    synchronized void put(String segmentPath, long segmentBytes, SparseIndex index) {
        indexes.put(segmentPath, new Cached(segmentBytes, index));
        if (indexes.size() > max) {
            indexes.remove(indexes.keySet().iterator().next());
        }
    }

    synchronized void forget(String segmentPath) {
        indexes.remove(segmentPath);
    }

    synchronized void forgetBelow(String directory) {
        indexes.keySet().removeIf(path -> path.startsWith(directory + "/"));
    }
}
