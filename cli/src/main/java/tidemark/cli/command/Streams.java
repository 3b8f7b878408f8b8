package tidemark.cli.command;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tidemark.cli.text.Amounts;
import tidemark.cli.text.Json;
import tidemark.client.StreamInfo;

/** How streams are printed. */
final class Streams {
    private Streams() {}

    /** All that is known of a stream. */
    static Json json(StreamInfo stream) {
        Json json = new Json()
                .add("name", stream.name())
                .add("stream_id", stream.streamId())
                .add("group_id", stream.groupId())
                .add("replicas", stream.settings().replicas())
                .add("max_record_bytes", stream.settings().maxRecordBytes())
                .addStrings("labels", sorted(stream.settings().labels()))
                .add("created_ms", stream.createdMs())
                .add("sealed", stream.sealed())
                .addStrings("replica_ids", stream.replicaIds())
                .add("leader", stream.leaderId().isEmpty() ? null : stream.leaderId())
                .add("revision", stream.revision());
        if (stream.endOffset() >= 0) {
            json.add("start_offset", stream.startOffset())
                    .add("end_offset", stream.endOffset())
                    .add("stored_bytes", stream.storedBytes())
                    .add("last_timestamp_ms", stream.lastTimestampMs());
        }
        return json;
    }

    /** Prints one stream in full. */
    static void print(StreamInfo stream, Output output) throws IOException {
        if (output.isJson()) {
            output.line(json(stream));
            return;
        }
        output.line("name              " + stream.name());
        output.line("stream id         " + stream.streamId());
        output.line("group id          " + stream.groupId());
        output.line("created           " + Amounts.time(stream.createdMs()));
        output.line("revision          " + stream.revision());
        output.line("sealed            " + yesNo(stream.sealed()));
        output.line("replicas          " + stream.settings().replicas() + " (" + String.join(", ", stream.replicaIds())
                + ")");
        output.line("leader            " + orUnknown(stream.leaderId()));
        output.line("max record bytes  " + stream.settings().maxRecordBytes());
        output.line("labels            " + labels(stream.settings().labels()));
        if (stream.endOffset() < 0) {
            output.line("records           unknown: no replica answered");
            return;
        }
        output.line("start offset      " + stream.startOffset());
        output.line("end offset        " + stream.endOffset());
        output.line("records           " + (stream.endOffset() - stream.startOffset()));
        output.line("stored            " + Amounts.bytes(stream.storedBytes()) + " on each replica");
        output.line("last record       "
                + (stream.lastTimestampMs() == 0 ? "none yet" : Amounts.time(stream.lastTimestampMs())));
    }

    static String yesNo(boolean value) {
        return value ? "yes" : "no";
    }

    static String orUnknown(String id) {
        return id.isEmpty() ? "unknown" : id;
    }

    static String labels(Map<String, String> labels) {
        if (labels.isEmpty()) {
            return "none";
        }
        List<String> pairs = new ArrayList<>();
        sorted(labels).forEach((key, value) -> pairs.add(key + "=" + value));
        return String.join(", ", pairs);
    }

    private static Map<String, String> sorted(Map<String, String> labels) {
        return new TreeMap<>(labels);
    }
}
