package tidemark.statemachine.inspect;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import tidemark.statemachine.env.FileSystem;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.env.StorageFile;
import tidemark.statemachine.format.FrameCodec;
import tidemark.statemachine.format.FrameHeader;
import tidemark.statemachine.format.SegmentHeader;
import tidemark.statemachine.segment.FrameScanner;

/**
 * Walks through a segment file. What is damaged is reported and passed over: after a damaged body the next frame follows; after a
 * damaged header the next intact one is searched for.
 */
public final class SegmentInspector {
    private static final int CHUNK_BYTES = 1 << 20;

    private final StorageFile file;
    private final String path;
    private final long limit;
    private final boolean allCounts;
    private final Consumer<FrameInfo> visitor;
    private final List<Finding> findings = new ArrayList<>();

    private FrameScanner scanner;
    private long frames;
    private long endOffset;
    private long lastTimestampMs;

    private SegmentInspector(
            StorageFile file, String path, long limit, boolean allCounts, Consumer<FrameInfo> visitor) {
        this.file = file;
        this.path = path;
        this.limit = limit;
        this.allCounts = allCounts;
        this.visitor = visitor;
        this.scanner = new FrameScanner(path, CHUNK_BYTES, 0);
    }

    /**
     * Looks through a file.
     *
     * @param length of the file that counts, as a manifest says: anything unreadable in it is damage. If that is not known, all is looked
     *     at, and where the rest of the file is not readable, that may be what a crash left
     * @param visitor is shown each frame
     * @throws StorageException if the file cannot be read; not for what is in it
     */
    public static SegmentReport inspect(FileSystem files, String path, OptionalLong length, Consumer<FrameInfo> visitor)
            throws StorageException {
        try (StorageFile file = files.openForRead(path)) {
            long limit = Math.min(file.size(), length.orElse(Long.MAX_VALUE));
            SegmentInspector inspector = new SegmentInspector(file, path, limit, length.isPresent(), visitor);
            if (length.isPresent() && limit < length.getAsLong()) {
                inspector.find(
                        Finding.Kind.DAMAGE, limit, "the file ends here; " + length.getAsLong() + " bytes were stored");
            }
            return inspector.run();
        }
    }

    private SegmentReport run() throws StorageException {
        Optional<SegmentHeader> header = header();
        if (header.isPresent()) {
            endOffset = header.get().baseOffset();
            boolean more = true;
            while (more && scanner.position() < limit) {
                more = frame();
            }
        }
        return new SegmentReport(path, limit, header, frames, endOffset, lastTimestampMs, List.copyOf(findings));
    }

    private Optional<SegmentHeader> header() throws StorageException {
        ByteBuffer start = ByteBuffer.allocate((int) Math.min(limit, SegmentHeader.BYTES));
        file.read(start, 0);
        try {
            SegmentHeader header = SegmentHeader.decode(path, start.flip());
            scanner = new FrameScanner(path, CHUNK_BYTES, SegmentHeader.BYTES);
            return Optional.of(header);
        } catch (StorageException.Corrupt damage) {
            find(Finding.Kind.DAMAGE, 0, damage);
        } catch (StorageException.UnsupportedVersion other) {
            find(Finding.Kind.UNSUPPORTED_VERSION, 0, other);
        }
        return Optional.empty();
    }

    /** Looks at the next frame. Returns whether anything may follow. */
    private boolean frame() throws StorageException {
        long position = scanner.position();
        FrameHeader header;
        try {
            header = scanner.next(file, limit);
        } catch (StorageException.Corrupt damage) {
            return goOnAfter(position, damage);
        } catch (StorageException.UnsupportedVersion other) {
            find(Finding.Kind.UNSUPPORTED_VERSION, position, other);
            return false;
        }
        if (header.frameBytes() > limit - position) {
            find(
                    tail(),
                    position,
                    "a frame of " + header.frameBytes() + " bytes, of which " + (limit - position) + " are there");
            return false;
        }
        visit(position, header);
        return true;
    }

    private void visit(long position, FrameHeader header) throws StorageException {
        boolean intact = true;
        try {
            scanner.take(file, limit, header);
        } catch (StorageException.Corrupt damage) {
            intact = false;
            find(Finding.Kind.DAMAGE, position, damage);
            scanner.skip(header);
        }
        if (header.baseOffset() != endOffset) {
            find(Finding.Kind.DAMAGE, position, "expected base offset " + endOffset + ", found " + header.baseOffset());
        }
        if (header.timestampMs() < lastTimestampMs && frames > 0) {
            find(
                    Finding.Kind.DAMAGE,
                    position,
                    "timestamp " + header.timestampMs() + " is before the last one, " + lastTimestampMs);
        }
        frames++;
        endOffset = header.endOffset();
        lastTimestampMs = header.timestampMs();
        visitor.accept(new FrameInfo(position, header, intact));
    }

    private boolean goOnAfter(long position, StorageException.Corrupt damage) throws StorageException {
        OptionalLong next = nextIntact(position + 1);
        if (next.isEmpty()) {
            find(tail(), position, "no intact frame from here to the end at " + limit + ": " + damage.getMessage());
            return false;
        }
        find(
                Finding.Kind.DAMAGE,
                position,
                (next.getAsLong() - position) + " bytes are unreadable: " + damage.getMessage());
        scanner = new FrameScanner(path, CHUNK_BYTES, next.getAsLong());
        return true;
    }

    private Finding.Kind tail() {
        return allCounts ? Finding.Kind.DAMAGE : Finding.Kind.TORN_TAIL;
    }

    /** Where the next intact frame header is, at or after a position. */
    private OptionalLong nextIntact(long from) throws StorageException {
        ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);
        long position = from;
        while (limit - position >= FrameCodec.HEADER_BYTES) {
            chunk.clear().limit((int) Math.min(CHUNK_BYTES, limit - position));
            file.read(chunk, position);
            chunk.flip();
            int last = chunk.limit() - FrameCodec.HEADER_BYTES;
            for (int i = 0; i <= last; i++) {
                if (FrameCodec.mayBegin(chunk, i) && isHeader(position + i, chunk.position(i))) {
                    return OptionalLong.of(position + i);
                }
                chunk.position(0);
            }
            if (last < 0) {
                break;
            }
            position += last + 1;
        }
        return OptionalLong.empty();
    }

    private boolean isHeader(long position, ByteBuffer bytes) {
        try {
            FrameCodec.header(path, position, bytes);
            return true;
        } catch (StorageException notOne) {
            return false;
        }
    }

    private void find(Finding.Kind kind, long position, StorageException found) {
        find(kind, position, String.valueOf(found.getMessage()));
    }

    private void find(Finding.Kind kind, long position, String message) {
        findings.add(new Finding(kind, path, position, message));
    }
}
