package tidemark.statemachine.segment;

import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.env.StorageFile;
import tidemark.statemachine.format.FrameHeader;
import tidemark.statemachine.format.SegmentHeader;

/** Reads a whole segment and checks all of it: both checksums of every frame, dense offsets, time that does not go back, the end. */
public final class SegmentCheck {
    private SegmentCheck() {}

    /**
     * Checks the first {@code expected.length()} bytes of a file.
     *
     * @param path for messages
     * @throws StorageException.Corrupt at the first thing that is not as it should be
     */
    public static void run(StorageFile file, String path, SegmentHeader header, Segment expected, int chunkBytes)
            throws StorageException {
        long length = expected.length();
        FrameScanner scanner = new FrameScanner(path, chunkBytes, 0);
        scanner.header(file, length, header);
        long offset = expected.baseOffset();
        long timestampMs = Long.MIN_VALUE;
        while (scanner.position() < length) {
            long position = scanner.position();
            FrameHeader frame = scanner.next(file, length);
            require(path, position, "base offset", frame.baseOffset() == offset, offset, frame.baseOffset());
            require(
                    path,
                    position,
                    "a timestamp of at least",
                    frame.timestampMs() >= timestampMs,
                    timestampMs,
                    frame.timestampMs());
            scanner.take(file, length, frame);
            offset = frame.endOffset();
            timestampMs = frame.timestampMs();
        }
        require(path, length, "end offset", offset == expected.endOffset(), expected.endOffset(), offset);
        require(
                path,
                length,
                "last timestamp",
                timestampMs == expected.lastTimestampMs(),
                expected.lastTimestampMs(),
                timestampMs);
    }

    private static void require(String path, long position, String what, boolean holds, long expected, long found)
            throws StorageException {
        if (!holds) {
            throw new StorageException.Corrupt(path, position, what + " " + expected, Long.toString(found));
        }
    }
}
