package tidemark.statemachine.segment;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.StreamId;

/**
 * Where the files of one group lie.
 *
 * <pre>
 *   MANIFESTS/manifest-TERM-INDEX
 *   STREAMS/STREAM-ID/00000000000000000000.seg     the number is the base offset
 *                     00000000000000000000.idx
 *   STREAMS/install/STREAM-ID/…                    segments fetched from another replica, not yet part of the group
 * </pre>
 *
 * @param manifests directory of the manifests
 * @param streams directory of the streams; nothing but this group's files is in it
 */
public record Layout(String manifests, String streams) {
    private static final Pattern SEGMENT_NAME = Pattern.compile("(\\d{20})\\.seg");
    private static final Pattern INDEX_NAME = Pattern.compile("(\\d{20})\\.idx");

    /** The usual place, below the data directory. */
    public static Layout of(GroupId group) {
        return new Layout("manifests/" + group, "streams/" + group);
    }

    public String stream(StreamId stream) {
        return streams + "/" + stream;
    }

    public String segment(StreamId stream, long baseOffset) {
        return stream(stream) + "/" + segmentName(baseOffset);
    }

    public String index(StreamId stream, long baseOffset) {
        return stream(stream) + "/" + name(baseOffset) + ".idx";
    }

    public String staging() {
        return streams + "/install";
    }

    public String stagedStream(StreamId stream) {
        return staging() + "/" + stream;
    }

    public String stagedSegment(StreamId stream, long baseOffset) {
        return stagedStream(stream) + "/" + segmentName(baseOffset);
    }

    /** The stream whose directory has this name, if it is one. */
    public static Optional<StreamId> parseStream(String directoryName) {
        try {
            StreamId stream = new StreamId(UUID.fromString(directoryName));
            // A UUID can be spelled in many ways; only ours is a directory of ours.
            return stream.toString().equals(directoryName) ? Optional.of(stream) : Optional.empty();
        } catch (IllegalArgumentException notAnId) {
            return Optional.empty();
        }
    }

    /** The base offset of the segment file of this name, if it is one. */
    public static OptionalLong parseSegment(String fileName) {
        return parse(SEGMENT_NAME, fileName);
    }

    /** The base offset of the segment whose index file has this name, if it is one. */
    public static OptionalLong parseIndex(String fileName) {
        return parse(INDEX_NAME, fileName);
    }

    private static OptionalLong parse(Pattern pattern, String fileName) {
        Matcher matcher = pattern.matcher(fileName);
        try {
            return matcher.matches() ? OptionalLong.of(Long.parseLong(matcher.group(1))) : OptionalLong.empty();
        } catch (NumberFormatException beyondLong) {
            return OptionalLong.empty();
        }
    }

    private static String segmentName(long baseOffset) {
        return name(baseOffset) + ".seg";
    }

    private static String name(long baseOffset) {
        return String.format("%020d", baseOffset);
    }
}
