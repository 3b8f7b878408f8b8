package tidemark.server.raft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.thirdparty.com.google.protobuf.InvalidProtocolBufferException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at a group's journal before Ratis reads it. Ratis either refuses every damage, also the torn tail that any crash may leave, or
 * (as we set it) cuts at the first bad byte wherever it is, and with it entries that were acknowledged.
 *
 * <pre>
 * segment file: log_START-END (closed) or log_inprogress_START (the last one)
 *   "RaftLog1"          8 bytes
 *   entry, repeated:    length as varint | that many bytes of LogEntryProto | CRC32C of both, 4 bytes big-endian
 *   zeros               preallocated, at the end of the open one
 * </pre>
 *
 * <p>Three things are put in order: a torn tail of the last segment is left to Ratis, which cuts it; segments that a purge had not come
 * around to deleting when the process died, and segments that all lie below the checkpoint, are deleted. All else is refused, and
 * then nothing is changed.
 */
final class JournalCheck {
    private static final Logger LOG = LoggerFactory.getLogger(JournalCheck.class);

    private static final byte[] HEADER = {'R', 'a', 'f', 't', 'L', 'o', 'g', '1'};
    private static final Pattern CLOSED = Pattern.compile("log_(\\d+)-(\\d+)");
    private static final Pattern OPEN = Pattern.compile("log_inprogress_(\\d+)");

    private final Path directory;
    private final int frameBytesMax;

    /**
     * @param directory where Ratis keeps the segments of one group
     * @param frameBytesMax the largest serialized entry
     */
    JournalCheck(Path directory, int frameBytesMax) {
        this.directory = directory;
        this.frameBytesMax = frameBytesMax;
    }

    /** Is told of the entries of a good journal, in order. */
    interface EntrySink {
        void entry(long index, int bytes);
    }

    /**
     * Checks, and deletes what is left over.
     *
     * @param checkpoint index of the newest durable checkpoint of the group's machine, -1 if none
     * @param sink is told of the entries that stay
     */
    void run(long checkpoint, EntrySink sink) throws IOException {
        List<Segment> segments = withoutLeftovers(list(), checkpoint);
        long end = -1;
        for (int i = 0; i < segments.size(); i++) {
            end = check(segments.get(i), i == segments.size() - 1, sink);
        }
        if (!segments.isEmpty() && end < checkpoint) {
            LOG.info(
                    "{}: all entries up to {} are below the checkpoint at {}; deleting them",
                    directory,
                    end,
                    checkpoint);
            delete(segments);
        } else if (!segments.isEmpty() && segments.get(0).start() > checkpoint + 1) {
            Segment first = segments.get(0);
            throw new JournalDamageException(
                    first.file(),
                    0,
                    "entries from " + (checkpoint + 1) + " to " + (first.start() - 1) + " are missing");
        }
    }

    /** @param end last index by its name; of the open segment unknown, then {@code Long.MAX_VALUE} */
    private record Segment(Path file, long start, long end) {
        boolean open() {
            return end == Long.MAX_VALUE;
        }
    }

    private List<Segment> list() throws IOException {
        List<Segment> found = new ArrayList<>();
        if (!Files.isDirectory(directory)) {
            return found;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                String name = file.getFileName().toString();
                Matcher closed = CLOSED.matcher(name);
                Matcher open = OPEN.matcher(name);
                if (closed.matches()) {
                    found.add(new Segment(file, Long.parseLong(closed.group(1)), Long.parseLong(closed.group(2))));
                } else if (open.matches() && Files.size(file) > 0) { // Ratis deletes empty ones
                    found.add(new Segment(file, Long.parseLong(open.group(1)), Long.MAX_VALUE));
                }
            }
        }
        found.sort(Comparator.comparingLong(Segment::start).thenComparingLong(Segment::end));
        return found;
    }

    /** A purge deletes from the newest to the oldest: killed meanwhile, it leaves older ones before a gap. */
    private List<Segment> withoutLeftovers(List<Segment> segments, long checkpoint) throws IOException {
        int first = segments.size() - 1;
        while (first > 0
                && segments.get(first - 1).end() + 1 == segments.get(first).start()) {
            first--;
        }
        if (first <= 0) {
            return segments;
        }
        Segment lastLeftover = segments.get(first - 1);
        Segment afterGap = segments.get(first);
        if (lastLeftover.open() || lastLeftover.end() > checkpoint || afterGap.start() > checkpoint + 1) {
            throw new JournalDamageException(
                    afterGap.file(),
                    0,
                    "does not continue " + lastLeftover.file().getFileName());
        }
        LOG.info("{}: deleting {} segments that a purge left", directory, first);
        delete(segments.subList(0, first));
        return segments.subList(first, segments.size());
    }

    private void delete(List<Segment> segments) throws IOException {
        for (Segment segment : segments) {
            Files.deleteIfExists(segment.file());
        }
        Directories.sync(directory);
    }

    /** @return the last good index */
    private long check(Segment segment, boolean last, EntrySink sink) throws IOException {
        byte[] bytes = Files.readAllBytes(segment.file());
        if (!startsWithHeader(bytes)) {
            if (segment.open() && last && onlyPartOfHeader(bytes)) {
                return segment.start() - 1;
            }
            throw new JournalDamageException(segment.file(), 0, "no journal header");
        }
        int at = HEADER.length;
        long index = segment.start() - 1;
        while (index < segment.end() && at < bytes.length) {
            Frame frame = frameAt(bytes, at);
            if (frame == null || frame.index() != index + 1) {
                break;
            }
            sink.entry(frame.index(), frame.end() - at);
            index = frame.index();
            at = frame.end();
        }
        if (index < segment.end()) {
            ended(segment, last, bytes, at, index);
        }
        return index;
    }

    /** A segment's good entries end here, before the end that its name states or open-ended: is that how a crash leaves it? */
    private void ended(Segment segment, boolean last, byte[] bytes, int at, long index) throws IOException {
        boolean nothingFollows = onlyZeros(bytes, at);
        if (segment.open()) {
            if (!last || (!nothingFollows && entryFollows(bytes, at, index))) {
                throw new JournalDamageException(
                        segment.file(), at, "entry " + (index + 1) + " is bad, and intact ones follow");
            }
            if (!nothingFollows) {
                LOG.warn(
                        "{}: torn tail at byte {}: entries from {} on were not fully written; they will be cut",
                        segment.file(),
                        at,
                        index + 1);
            }
        } else if (!(last && at == bytes.length && index >= segment.start())) {
            // The exception: a cut at the request of a new leader shortens the file first and gives it its new name
            // then.
            throw new JournalDamageException(
                    segment.file(), at, "entry " + (index + 1) + " of " + segment.end() + " is bad or missing");
        }
    }

    private static boolean startsWithHeader(byte[] bytes) {
        return bytes.length >= HEADER.length
                && ByteBuffer.wrap(bytes, 0, HEADER.length).equals(ByteBuffer.wrap(HEADER));
    }

    private static boolean onlyPartOfHeader(byte[] bytes) {
        int match = 0;
        while (match < Math.min(bytes.length, HEADER.length) && bytes[match] == HEADER[match]) {
            match++;
        }
        return onlyZeros(bytes, match);
    }

    private static boolean onlyZeros(byte[] bytes, int from) {
        for (int i = from; i < bytes.length; i++) {
            if (bytes[i] != 0) {
                return false;
            }
        }
        return true;
    }

    /** An intact entry, wherever in the rest, that can come after this index. */
    private boolean entryFollows(byte[] bytes, int from, long index) {
        for (int at = from + 1; at < bytes.length; at++) {
            if (looksLikeEntry(bytes, at)) {
                Frame frame = frameAt(bytes, at);
                if (frame != null && frame.index() > index) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Spares computing a checksum at every byte: an entry begins with its term, tag 8, after the length of at most 4 bytes. */
    private static boolean looksLikeEntry(byte[] bytes, int at) {
        for (int i = 1; i <= 4 && at + i < bytes.length; i++) {
            if (bytes[at + i - 1] >= 0) {
                return bytes[at + i] == 8;
            }
        }
        return false;
    }

    private record Frame(long index, int end) {}

    /** The entry at a place, if it is whole and its checksum fits. */
    private @Nullable Frame frameAt(byte[] bytes, int start) {
        int at = start;
        int length = 0;
        for (int shift = 0; ; shift += 7) {
            if (at >= bytes.length || shift > 28) {
                return null;
            }
            byte b = bytes[at++];
            length |= (b & 0x7f) << shift;
            if (b >= 0) {
                break;
            }
        }
        if (length <= 0 || length > frameBytesMax || bytes.length - at - 4 < length) {
            return null;
        }
        CRC32C crc = new CRC32C();
        crc.update(bytes, start, at - start + length);
        if (ByteBuffer.wrap(bytes).getInt(at + length) != (int) crc.getValue()) {
            return null;
        }
        try {
            long index =
                    LogEntryProto.parseFrom(ByteBuffer.wrap(bytes, at, length)).getIndex();
            return new Frame(index, at + length + 4);
        } catch (InvalidProtocolBufferException e) {
            return null; // the caller says what is wrong
        }
    }
}
