package tidemark.statemachine.machine;

import java.nio.ByteBuffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tidemark.statemachine.env.FileSystem;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.env.StorageFile;
import tidemark.statemachine.model.StreamId;
import tidemark.statemachine.segment.Layout;
import tidemark.statemachine.segment.Segment;
import tidemark.statemachine.segment.SegmentCheck;
import tidemark.statemachine.segment.SegmentFiles;
import tidemark.statemachine.segment.StreamFiles;

/** Takes the bytes of one segment of another replica into a staged file. */
final class SegmentReceiver implements SnapshotInstall.Receiver {
    private static final int COPY_BYTES = 1 << 20;

    private final SegmentFiles segments;
    private final StreamFiles stream;
    private final Segment segment;
    private final String staged;
    private long receivedBytes;
    private @Nullable StorageFile file;
    private volatile boolean complete;

    private SegmentReceiver(SegmentFiles segments, Layout layout, StreamId stream, Segment segment) {
        this.segments = segments;
        this.stream = new StreamFiles(segments, layout, stream);
        this.segment = segment;
        this.staged = layout.stagedSegment(stream, segment.baseOffset());
    }

    /**
     * Prepares to receive a segment; what an earlier attempt left is kept, else the part that this replica has is copied.
     *
     * @param held the segment as this replica has it in place
     */
    static SegmentReceiver begin(
            SegmentFiles segments, Layout layout, StreamId stream, Segment segment, Optional<Segment> held)
            throws StorageException {
        SegmentReceiver receiver = new SegmentReceiver(segments, layout, stream, segment);
        receiver.useStaged();
        if (held.isPresent() && held.get().length() > receiver.receivedBytes) {
            receiver.copy(layout.segment(stream, segment.baseOffset()), held.get());
        }
        return receiver;
    }

    private void useStaged() throws StorageException {
        FileSystem files = segments.fileSystem();
        if (!files.exists(staged)) {
            return;
        }
        receivedBytes = files.size(staged);
        if (receivedBytes > segment.length()) {
            receivedBytes = 0;
        } else if (receivedBytes == segment.length()) {
            try {
                complete();
            } catch (StorageException.Corrupt begunAnew) {
                receivedBytes = 0;
            }
        }
    }

    /** Where the own part turns out to be damaged, all is fetched. */
    private void copy(String from, Segment held) throws StorageException {
        receivedBytes = 0;
        ByteBuffer chunk = ByteBuffer.allocate(COPY_BYTES);
        try (StorageFile source = segments.fileSystem().openForRead(from)) {
            while (receivedBytes < held.length()) {
                chunk.clear().limit((int) Math.min(COPY_BYTES, held.length() - receivedBytes));
                if (source.read(chunk, receivedBytes) == 0) {
                    throw new StorageException.Corrupt(
                            from, receivedBytes, held.length() + " bytes", "the end of the file");
                }
                accept(chunk.flip());
            }
            check(held);
        } catch (StorageException.Corrupt fetchedInstead) {
            receivedBytes = 0;
        } finally {
            close();
        }
    }

    private void check(Segment expected) throws StorageException {
        SegmentCheck.run(
                open(),
                staged,
                stream.header(segment.baseOffset()),
                expected,
                segments.limits().readChunkBytes());
    }

    StreamId stream() {
        return stream.stream();
    }

    boolean isComplete() {
        return complete;
    }

    /** Bytes of the segment that are staged: where to go on fetching. */
    long receivedBytes() {
        return receivedBytes;
    }

    @Override
    public void accept(ByteBuffer chunk) throws StorageException {
        int bytes = chunk.remaining();
        if (complete || receivedBytes + bytes > segment.length()) {
            throw new IllegalArgumentException(staged + ": " + bytes + " bytes after " + receivedBytes
                    + " are more than the segment's " + segment.length());
        }
        open().write(chunk, receivedBytes);
        receivedBytes += bytes;
    }

    private StorageFile open() throws StorageException {
        StorageFile now = file;
        if (now == null) {
            FileSystem files = segments.fileSystem();
            if (receivedBytes == 0) {
                files.createDirectories(staged.substring(0, staged.lastIndexOf('/')));
                now = files.create(staged);
            } else {
                now = files.openForWrite(staged);
            }
            file = now;
        }
        return now;
    }

    @Override
    public void complete() throws StorageException {
        if (receivedBytes != segment.length()) {
            throw new IllegalStateException(
                    staged + ": " + receivedBytes + " of " + segment.length() + " bytes were received");
        }
        try {
            check(segment);
            open().sync();
        } catch (StorageException e) {
            close();
            segments.fileSystem().delete(staged);
            receivedBytes = 0;
            throw e;
        }
        close();
        complete = true;
    }

    /** Gives the staged file its name in the group. The directory is synced by the caller. */
    void moveIntoPlace() throws StorageException {
        String path = stream.path(segment.baseOffset());
        segments.fileSystem().rename(staged, path);
        segments.forget(path);
    }

    @Override
    public void close() throws StorageException {
        StorageFile now = file;
        file = null;
        if (now != null) {
            now.close();
        }
    }
}
