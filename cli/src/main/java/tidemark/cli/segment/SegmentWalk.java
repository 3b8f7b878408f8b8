package tidemark.cli.segment;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.OptionalLong;
import tidemark.statemachine.env.RealFileSystem;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.env.StorageFile;
import tidemark.statemachine.format.FrameCodec;
import tidemark.statemachine.format.FrameHeader;
import tidemark.statemachine.format.SegmentHeader;
import tidemark.statemachine.format.StoredBatch;
import tidemark.statemachine.segment.FrameScanner;
import tidemark.statemachine.segment.Layout;

/**
 * Goes through one segment file, opened for reading only, and checks all of it: header, both checksums of each frame, dense offsets,
 * time that does not go back. Stops at the first thing that is wrong.
 *
 * <p>What a server has in memory only (which length is valid) is not known here. So a frame that the file's end cuts off is not called
 * corrupt but a torn tail: a server is writing it at this moment, or died while it did, and cuts it off when it starts.
 */
public final class SegmentWalk {
    private static final int CHUNK_BYTES = 4 << 20;

    private SegmentWalk() {}

    /** Is told what a segment holds, in order. */
    public interface Visitor {
        /** The file's header. */
        void header(SegmentHeader header) throws Exception;

        /** One intact frame. */
        void frame(long position, FrameHeader header, StoredBatch batch) throws Exception;
    }

    /**
     * What an intact segment holds.
     *
     * @param header the file's header
     * @param batches number of frames
     * @param endOffset offset after the last record
     * @param intactBytes length of the file up to the end of the last whole frame
     * @param tornBytes length of what follows; 0 unless the tail is torn
     */
    public record Summary(SegmentHeader header, long batches, long endOffset, long intactBytes, long tornBytes) {
        /** Number of records. */
        public long records() {
            return endOffset - header.baseOffset();
        }
    }

    /**
     * Walks through a file.
     *
     * @throws StorageException if it cannot be read, is damaged, or of another version; says where
     */
    public static Summary walk(Path path, Visitor visitor) throws Exception {
        Path absolute = path.toAbsolutePath().normalize();
        Path directory = absolute.getParent();
        if (directory == null) {
            throw new StorageException("cannot open " + path + ": it is a directory");
        }
        String name = absolute.getFileName().toString();
        try (StorageFile file = new RealFileSystem(directory).openForRead(name)) {
            return walk(file, file.size(), path, visitor);
        }
    }

    private static Summary walk(StorageFile file, long size, Path path, Visitor visitor) throws Exception {
        SegmentHeader header = readHeader(file, path);
        visitor.header(header);
        FrameScanner scanner = new FrameScanner(path.toString(), CHUNK_BYTES, SegmentHeader.BYTES);
        long batches = 0;
        long offset = header.baseOffset();
        long timestampMs = Long.MIN_VALUE;
        while (size - scanner.position() >= FrameCodec.HEADER_BYTES) {
            long position = scanner.position();
            FrameHeader frame = scanner.next(file, size);
            if (frame.frameBytes() > size - position) {
                break;
            }
            require(path, position, frame.baseOffset() == offset, "base offset " + offset, frame.baseOffset());
            require(
                    path,
                    position,
                    frame.timestampMs() >= timestampMs,
                    "a timestamp of at least " + timestampMs,
                    frame.timestampMs());
            visitor.frame(position, frame, scanner.take(file, size, frame));
            batches++;
            offset = frame.endOffset();
            timestampMs = frame.timestampMs();
        }
        return new Summary(header, batches, offset, scanner.position(), size - scanner.position());
    }

    private static SegmentHeader readHeader(StorageFile file, Path path) throws StorageException {
        ByteBuffer start = ByteBuffer.allocate(SegmentHeader.BYTES);
        file.read(start, 0);
        SegmentHeader header = SegmentHeader.decode(path.toString(), start.flip());
        OptionalLong named =
                Layout.parseSegment(path.toAbsolutePath().getFileName().toString());
        if (named.isPresent() && named.getAsLong() != header.baseOffset()) {
            throw new StorageException.Corrupt(
                    path.toString(),
                    0,
                    "base offset " + named.getAsLong() + ", as the file's name says",
                    Long.toString(header.baseOffset()));
        }
        return header;
    }

    private static void require(Path path, long position, boolean holds, String expected, long found)
            throws StorageException {
        if (!holds) {
            throw new StorageException.Corrupt(path.toString(), position, expected, Long.toString(found));
        }
    }
}
