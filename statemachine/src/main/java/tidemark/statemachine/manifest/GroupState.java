package tidemark.statemachine.manifest;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import tidemark.engine.proto.GroupManifest;
import tidemark.engine.proto.ManifestSegment;
import tidemark.engine.proto.ManifestStream;
import tidemark.engine.proto.WriterState;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.format.Ids;
import tidemark.statemachine.format.SegmentHeader;
import tidemark.statemachine.model.StreamId;
import tidemark.statemachine.segment.Segment;

/**
 * The state of a group's machine, as its manifest has it. Always sound: both directions check the rules of {@code manifest.proto}.
 *
 * @param streams sorted by id
 */
public record GroupState(List<StreamState> streams) {
    /** The state before the first entry. */
    public static final GroupState EMPTY = new GroupState(List.of());

    /** One stream. */
    public record StreamState(
            StreamId id,
            long startOffset,
            long endOffset,
            long lastTimestampMs,
            boolean sealed,
            List<Segment> segments,
            List<WriterState> writers) {
        /** The segment that begins with an offset. */
        public Optional<Segment> segment(long baseOffset) {
            return segments.stream()
                    .filter(segment -> segment.baseOffset() == baseOffset)
                    .findFirst();
        }
    }

    /** The stream of an id. */
    public Optional<StreamState> stream(StreamId id) {
        return streams.stream().filter(stream -> stream.id().equals(id)).findFirst();
    }

    /** The payload of a manifest. The same bytes for the same state. */
    public byte[] encode() {
        problem().ifPresent(problem -> {
            throw new IllegalStateException("a manifest of this state would not be sound: " + problem);
        });
        GroupManifest.Builder manifest = GroupManifest.newBuilder();
        streams.forEach(stream -> manifest.addStreams(encode(stream)));
        return manifest.build().toByteArray();
    }

    private static ManifestStream encode(StreamState stream) {
        ManifestStream.Builder message = ManifestStream.newBuilder()
                .setStreamId(ByteString.copyFrom(Ids.bytes(stream.id().value())))
                .setStartOffset(stream.startOffset())
                .setEndOffset(stream.endOffset())
                .setLastTimestampMs(stream.lastTimestampMs())
                .setSealed(stream.sealed())
                .addAllWriters(stream.writers());
        for (Segment segment : stream.segments()) {
            message.addSegments(ManifestSegment.newBuilder()
                    .setBaseOffset(segment.baseOffset())
                    .setLength(segment.length())
                    .setEndOffset(segment.endOffset())
                    .setLastTimestampMs(segment.lastTimestampMs()));
        }
        return message.build();
    }

    /**
     * Reads and checks the payload of a manifest.
     *
     * @param path of the manifest, for messages
     */
    public static GroupState decode(String path, byte[] payload) throws StorageException {
        List<StreamState> streams = new ArrayList<>();
        try {
            for (ManifestStream stream : GroupManifest.parseFrom(payload).getStreamsList()) {
                if (stream.getStreamId().size() != Ids.BYTES) {
                    throw unsound(path, "a stream id of " + stream.getStreamId().size() + " bytes");
                }
                streams.add(decode(stream));
            }
        } catch (InvalidProtocolBufferException e) {
            throw unsound(path, String.valueOf(e.getMessage()));
        }
        GroupState state = new GroupState(List.copyOf(streams));
        Optional<String> problem = state.problem();
        if (problem.isPresent()) {
            throw unsound(path, problem.get());
        }
        return state;
    }

    private static StreamState decode(ManifestStream stream) {
        UUID id = Ids.of(stream.getStreamId().asReadOnlyByteBuffer());
        List<Segment> segments = new ArrayList<>(stream.getSegmentsCount());
        for (ManifestSegment segment : stream.getSegmentsList()) {
            segments.add(new Segment(
                    segment.getBaseOffset(),
                    segment.getLength(),
                    segment.getEndOffset(),
                    segment.getLastTimestampMs()));
        }
        return new StreamState(
                new StreamId(id),
                stream.getStartOffset(),
                stream.getEndOffset(),
                stream.getLastTimestampMs(),
                stream.getSealed(),
                List.copyOf(segments),
                stream.getWritersList());
    }

    private static StorageException.Corrupt unsound(String path, String found) {
        return new StorageException.Corrupt(path, ManifestCodec.PAYLOAD_AT, "the state of a group of streams", found);
    }

    private Optional<String> problem() {
        StreamId last = null;
        for (StreamState stream : streams) {
            if (last != null && last.compareTo(stream.id()) >= 0) {
                return Optional.of("stream " + stream.id() + " after stream " + last);
            }
            last = stream.id();
            Optional<String> problem = problem(stream).map(found -> "stream " + stream.id() + ": " + found);
            if (problem.isPresent()) {
                return problem;
            }
        }
        return Optional.empty();
    }

    private static Optional<String> problem(StreamState stream) {
        long start = stream.startOffset();
        long end = stream.endOffset();
        if (start < 0 || start > end) {
            return Optional.of("start " + start + ", end " + end);
        }
        if (stream.segments().isEmpty()) {
            return start == end ? Optional.empty() : Optional.of("no segments from " + start + " to " + end);
        }
        Segment before = null;
        for (Segment segment : stream.segments()) {
            boolean sound = segment.baseOffset() >= 0
                    && segment.endOffset() > segment.baseOffset()
                    && segment.length() > SegmentHeader.BYTES
                    && segment.lastTimestampMs() <= stream.lastTimestampMs();
            boolean follows = before == null
                    ? segment.baseOffset() <= start && start < segment.endOffset()
                    : segment.baseOffset() == before.endOffset()
                            && segment.lastTimestampMs() >= before.lastTimestampMs();
            if (!sound || !follows) {
                return Optional.of(segment + " after " + before);
            }
            before = segment;
        }
        long lastEnd = stream.segments().get(stream.segments().size() - 1).endOffset();
        return lastEnd == end ? Optional.empty() : Optional.of("segments end at " + lastEnd + ", not at " + end);
    }
}
