package tidemark.statemachine.read;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.env.StorageFile;
import tidemark.statemachine.format.FrameHeader;
import tidemark.statemachine.format.IndexEntry;
import tidemark.statemachine.format.StoredBatch;
import tidemark.statemachine.segment.FileHandle;
import tidemark.statemachine.segment.FrameScanner;
import tidemark.statemachine.segment.Segment;
import tidemark.statemachine.segment.SegmentList;

/**
 * A reader of one stream, with a place in it. One thread at a time; any number of cursors beside each other and beside the applier.
 * Sees what is appended without being opened again. Holds no file open between calls, so it need not be closed; it holds one chunk of a
 * file in memory.
 */
public final class ReadCursor {
    /** Where the scanner is: before the frame that begins with an offset, in a segment. */
    private static final class Place {
        private final long segmentBase;
        private final FrameScanner scanner;
        private long frameOffset;

        Place(long segmentBase, FrameScanner scanner, long frameOffset) {
            this.segmentBase = segmentBase;
            this.scanner = scanner;
            this.frameOffset = frameOffset;
        }
    }

    private final SnapshotSource source;
    private long nextOffset;
    private @Nullable Place place;

    /** Touches nothing yet. */
    public ReadCursor(SnapshotSource source, long offset) {
        this.source = source;
        this.nextOffset = offset;
    }

    /** The offset that the next batch returned will hold. */
    public long nextOffset() {
        return nextOffset;
    }

    /** Moves to an offset. Touches nothing yet. */
    public void seek(long offset) {
        if (offset != nextOffset) {
            nextOffset = offset;
            place = null;
        }
    }

    /**
     * Reads on from {@link #nextOffset}, up to the newest committed end. Blocks on the disk.
     *
     * @param maxBytes of bodies; at least one batch is returned if there is one, and fewer bytes may be
     * @throws StorageException.Corrupt if a checksum does not fit, or the frames do not follow on each other; the cursor stays, and
     *     reading again reads the file again
     */
    public ReadResult next(int maxBytes) throws StorageException {
        Optional<StreamSnapshot> newest = source.newest();
        Optional<ReadResult> nothing = nothingToRead(newest);
        if (nothing.isPresent()) {
            return nothing.get();
        }
        long before = nextOffset;
        try {
            return new ReadResult.Batches(read(newest.orElseThrow().segments(), maxBytes));
        } catch (StorageException failure) {
            place = null;
            nextOffset = before;
            // Truncated or closed meanwhile: then the file may be gone or replaced, and nothing is wrong.
            return nothingToRead(source.newest()).orElseThrow(() -> failure);
        }
    }

    private Optional<ReadResult> nothingToRead(Optional<StreamSnapshot> newest) {
        if (newest.isEmpty()) {
            return Optional.of(new ReadResult.Unavailable());
        }
        StreamSnapshot now = newest.get();
        if (nextOffset < now.startOffset()) {
            return Optional.of(new ReadResult.Truncated(now.startOffset(), now.endOffset()));
        }
        if (nextOffset >= now.endOffset()) {
            return Optional.of(new ReadResult.AtEnd(now.startOffset(), now.endOffset(), now.sealed()));
        }
        return Optional.empty();
    }

    /** At least one batch, from the segment that holds the next offset. */
    private List<StoredBatch> read(SegmentList segments, int maxBytes) throws StorageException {
        Segment segment = segments.find(nextOffset)
                .orElseThrow(() -> new IllegalStateException(
                        "no segment of stream " + segments.files().stream() + " has offset " + nextOffset));
        List<StoredBatch> batches = new ArrayList<>();
        try (FileHandle handle = segments.files().open(segment.baseOffset())) {
            StorageFile file = handle.file();
            Place at = place(segments, segment, file);
            long bytes = 0;
            while (at.frameOffset < segment.endOffset()) {
                FrameHeader header = at.scanner.next(file, segment.length());
                requireFollows(segments, at, header);
                bytes += header.batch().bodyBytes();
                if (header.endOffset() <= nextOffset) {
                    at.scanner.skip(header);
                    bytes = 0;
                } else if (batches.isEmpty() || bytes <= maxBytes) {
                    batches.add(at.scanner.take(file, segment.length(), header));
                    nextOffset = header.endOffset();
                } else {
                    break;
                }
                at.frameOffset = header.endOffset();
            }
        }
        return batches;
    }

    /** Where it was, if the next offset is there; else found through the index. */
    private Place place(SegmentList segments, Segment segment, StorageFile file) throws StorageException {
        Place now = place;
        if (now != null && now.segmentBase == segment.baseOffset() && now.frameOffset == nextOffset) {
            return now;
        }
        int chunkBytes = segments.files().files().limits().readChunkBytes();
        String path = segments.files().path(segment.baseOffset());
        if (nextOffset == segment.baseOffset()) {
            FrameScanner scanner = new FrameScanner(path, chunkBytes, 0);
            scanner.header(file, segment.length(), segments.files().header(segment.baseOffset()));
            now = new Place(segment.baseOffset(), scanner, segment.baseOffset());
        } else {
            IndexEntry from = segments.frameBefore(segment, nextOffset);
            now = new Place(segment.baseOffset(), new FrameScanner(path, chunkBytes, from.position()), from.offset());
        }
        place = now;
        return now;
    }

    private static void requireFollows(SegmentList segments, Place at, FrameHeader header) throws StorageException {
        if (header.baseOffset() != at.frameOffset) {
            throw new StorageException.Corrupt(
                    segments.files().path(at.segmentBase),
                    at.scanner.position(),
                    "a frame with base offset " + at.frameOffset,
                    "base offset " + header.baseOffset());
        }
    }
}
