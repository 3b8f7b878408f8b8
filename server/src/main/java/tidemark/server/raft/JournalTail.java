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
    private static final int ENTRY_COST = 400;

    private final long bytesKept;
    private final long markEvery;
    private final Deque<Mark> marks = new ArrayDeque<>();

    private long bytes;
    private long entries;
    private long floor;

    /** @param position in bytes applied, behind the entry of this index */
    private record Mark(long index, long position) {}

    /** @param snapshotIndex the checkpoint at start. Ratis wants what it is told afterwards to be no less */
    JournalTail(long bytesKept, long snapshotIndex) {
        this.bytesKept = bytesKept;
        this.markEvery = Math.max(1, bytesKept / 64);
        this.floor = snapshotIndex;
    }

    void applied(long index, int entryBytes) {
        bytes += entryBytes + (long) ENTRY_COST;
        entries++;
        Mark last = marks.peekLast();
        if (last == null || bytes - last.position() >= markEvery) {
            marks.addLast(new Mark(index, bytes));
        }
    }

    /** Bytes applied since this object was made, with Ratis' own cost of each entry. Only differences mean anything. */
    long cost() {
        return bytes;
    }

    /** Entries applied since this object was made. */
    long entries() {
        return entries;
    }

    /**
     * The newest entry that may be purged.
     *
     * @param checkpoint index of the newest durable checkpoint; never more than this is purged
     */
    long purgeable(long checkpoint) {
        while (!marks.isEmpty()
                && bytes - marks.peekFirst().position() >= bytesKept
                && marks.peekFirst().index() <= checkpoint) {
            floor = Math.max(floor, marks.removeFirst().index());
        }
        return Math.min(floor, checkpoint);
    }

    /** The last answer, without looking further. */
    long floor() {
        return floor;
    }
}
