package tidemark.statemachine.read;

import java.util.Optional;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.format.FrameHeader;
import tidemark.statemachine.format.IndexEntry;
import tidemark.statemachine.segment.FileHandle;
import tidemark.statemachine.segment.FrameScanner;
import tidemark.statemachine.segment.Segment;
import tidemark.statemachine.segment.SegmentList;

/** Finds offsets by time. */
public final class TimeSearch {
    private TimeSearch() {}

    /**
     * The first record of a stream at or after a time, within the readable range; the end if there is none. Blocks on the disk.
     */
    public static long firstAtOrAfter(StreamSnapshot snapshot, long timestampMs) throws StorageException {
        if (snapshot.lastTimestampMs() < timestampMs) {
            return snapshot.endOffset();
        }
        Optional<Segment> segment = snapshot.segments().findTime(timestampMs);
        if (segment.isEmpty()) {
            return snapshot.endOffset();
        }
        return Math.max(snapshot.startOffset(), search(snapshot.segments(), segment.get(), timestampMs));
    }

    private static long search(SegmentList segments, Segment segment, long timestampMs) throws StorageException {
        IndexEntry from = segments.frameBeforeTime(segment, timestampMs);
        String path = segments.files().path(segment.baseOffset());
        FrameScanner scanner =
                new FrameScanner(path, segments.files().files().limits().readChunkBytes(), from.position());
        try (FileHandle handle = segments.files().open(segment.baseOffset())) {
            while (scanner.position() < segment.length()) {
                FrameHeader header = scanner.next(handle.file(), segment.length());
                if (header.timestampMs() >= timestampMs) {
                    return header.baseOffset();
                }
                scanner.skip(header);
            }
        }
        throw new StorageException.Corrupt(
                path, segment.length(), "a frame with timestamp " + segment.lastTimestampMs(), "the segment's end");
    }
}
