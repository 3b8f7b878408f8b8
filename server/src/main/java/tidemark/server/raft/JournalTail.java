package tidemark.server.raft;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Decides how far a group's journal may be purged after a checkpoint, so that about a given number of bytes stays for followers that
 * are a little behind. Ratis could only keep a number of entries, and ours have from 100 bytes to some MiB.
 *
 * <p>Keeps a mark each so many bytes, not an index of every entry. One thread at a time, the applier.
 */
final class JournalTail {
    /** What Ratis keeps in memory for each entry in the journal; counted, so that very small entries are bounded too. */
    static final int ENTRY_COST = 400;

    private final long bytesKept;
    private final long markEvery;
    private final Deque<Mark> marks = new ArrayDeque<>();

    private final long leastToTell;
    private long bytes;
    private long floor = NOTHING;

    /** The answer that makes Ratis purge nothing. */
    static final long NOTHING = -1;

    /** @param position in bytes of the journal, behind the entry of this index */
    private record Mark(long index, long position) {}

    /** @param snapshotIndex the checkpoint at start: Ratis takes no answer below it, but {@link #NOTHING} */
    JournalTail(long bytesKept, long snapshotIndex) {
        this.bytesKept = bytesKept;
        this.markEvery = Math.max(1, bytesKept / 64);
        this.leastToTell = snapshotIndex;
    }

    /** Notes the next entry: found in the journal at the start and below the checkpoint, or applied. */
    void add(long index, int entryBytes) {
        bytes += entryBytes + (long) ENTRY_COST;
        Mark last = marks.peekLast();
        if (last == null || bytes - last.position() >= markEvery) {
            marks.addLast(new Mark(index, bytes));
        }
    }

    /**
     * The newest entry that may be purged, or {@link #NOTHING}. Never falls.
     *
     * @param checkpoint index of the newest durable checkpoint; never more than this is purged
     */
    long purgeable(long checkpoint) {
        while (!marks.isEmpty()
                && bytes - marks.peekFirst().position() >= bytesKept
                && marks.peekFirst().index() <= checkpoint) {
            floor = marks.removeFirst().index();
        }
        return floor >= leastToTell ? floor : NOTHING;
    }
}
