package tidemark.statemachine.segment;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.env.StorageFile;
import tidemark.statemachine.format.FrameHeader;
import tidemark.statemachine.format.IndexCodec;
import tidemark.statemachine.format.IndexEntry;
import tidemark.statemachine.format.SegmentHeader;
import tidemark.statemachine.model.StreamId;

/** The files of one stream: how its segments are opened and indexed. Immutable; many threads. */
public record StreamFiles(SegmentFiles files, Layout layout, StreamId stream) {
    public String path(long baseOffset) {
        return layout.segment(stream, baseOffset);
    }

    public SegmentHeader header(long baseOffset) {
        return new SegmentHeader(stream, baseOffset);
    }

    /** Opens a segment for reading, or uses the handle that is there. */
    public FileHandle open(long baseOffset) throws StorageException {
        return files.handles().read(path(baseOffset));
    }

    /** What an index that begins with a segment is begun with. */
    SparseIndex newIndex(long baseOffset) {
        IndexEntry first = new IndexEntry(baseOffset, Long.MIN_VALUE, SegmentHeader.BYTES);
        return new SparseIndex(files.limits().indexIntervalBytes(), first);
    }

    /** The index of the first so many bytes of a segment: from memory, else from its file, else made anew from the frames. */
    SparseIndex index(long baseOffset, long segmentBytes) throws StorageException {
        String path = path(baseOffset);
        Optional<SparseIndex> cached = files.indexes().get(path, segmentBytes);
        if (cached.isPresent()) {
            return cached.get();
        }
        SparseIndex index = newIndex(baseOffset);
        Optional<List<IndexEntry>> stored = readIndex(baseOffset, segmentBytes);
        if (stored.isPresent()) {
            index.addAll(stored.get());
        } else {
            addFrames(index, baseOffset, segmentBytes);
        }
        files.indexes().put(path, segmentBytes, index);
        return index;
    }

    /** Empty whatever is wrong with the file: the segment says the same. */
    private Optional<List<IndexEntry>> readIndex(long baseOffset, long segmentBytes) {
        String path = layout.index(stream, baseOffset);
        try (StorageFile file = files.fileSystem().openForRead(path)) {
            long size = file.size();
            if (size > IndexCodec.FILE_BYTES_MAX) {
                return Optional.empty();
            }
            ByteBuffer bytes = ByteBuffer.allocate((int) size);
            file.read(bytes, 0);
            return Optional.of(IndexCodec.decode(path, bytes.flip(), header(baseOffset), segmentBytes));
        } catch (StorageException unusable) {
            return Optional.empty();
        }
    }

    private void addFrames(SparseIndex index, long baseOffset, long segmentBytes) throws StorageException {
        FrameScanner scanner = new FrameScanner(path(baseOffset), files.limits().readChunkBytes(), 0);
        try (FileHandle handle = open(baseOffset)) {
            scanner.header(handle.file(), segmentBytes, header(baseOffset));
            while (scanner.position() < segmentBytes) {
                FrameHeader frame = scanner.next(handle.file(), segmentBytes);
                index.add(frame.baseOffset(), frame.timestampMs(), scanner.position());
                scanner.skip(frame);
            }
        }
    }

    /** Writes the index file of a closed segment. Not durable, as it need not be. */
    void writeIndex(Segment segment, SparseIndex index) throws StorageException {
        ByteBuffer bytes = IndexCodec.encode(header(segment.baseOffset()), segment.length(), index.entries());
        try (StorageFile file = files.fileSystem().create(layout.index(stream, segment.baseOffset()))) {
            file.write(bytes, 0);
        }
    }
}
