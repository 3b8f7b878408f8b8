package tidemark.cli.command;

import com.google.protobuf.InvalidProtocolBufferException;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tidemark.cli.record.RecordJson;
import tidemark.cli.segment.SegmentWalk;
import tidemark.cli.text.Amounts;
import tidemark.cli.text.Json;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.format.FrameHeader;
import tidemark.statemachine.format.SegmentHeader;
import tidemark.statemachine.format.StoredBatch;
import tidemark.v1.Record;
import tidemark.v1.RecordBatch;

/** Prints what a segment file holds. */
@Command(
        name = "dump",
        description = {
            "Print the batches of a segment file.",
            "Checks everything on the way and stops at the first damage. json: one object a line, first the header."
        })
final class SegmentDumpCommand extends Subcommand {
    @Parameters(paramLabel = "FILE", description = "A .seg file.")
    private String file = "";

    @Option(names = "--records", description = "Print the records of each batch too, one JSON object a line.")
    private boolean records;

    @Override
    void run(Output output) throws Exception {
        SegmentWalk.Summary summary;
        try {
            summary = SegmentWalk.walk(path(file), new Printer(output, records));
        } catch (StorageException e) {
            // What came before the damage is worth seeing.
            output.flush();
            throw e;
        }
        if (!output.isJson()) {
            output.line(Amounts.count(summary.records(), "record") + " in "
                    + Amounts.count(summary.batches(), "batch", "batches") + ", end offset " + summary.endOffset()
                    + ", " + Amounts.bytes(summary.intactBytes()));
        }
        if (summary.tornBytes() > 0) {
            surroundings().err().println(tornTail(file, summary));
        }
    }

    static Path path(String typed) {
        try {
            return Path.of(typed);
        } catch (InvalidPathException e) {
            throw new UsageException("'" + typed + "' is not a file name");
        }
    }

    /** Not an error: nothing acknowledged is lost with it. */
    static String tornTail(String file, SegmentWalk.Summary summary) {
        return "tidemark: note: " + file + " ends with " + Amounts.count(summary.tornBytes(), "byte")
                + " of an unfinished frame at byte " + summary.intactBytes()
                + ": being written, or left by a crash; a server cuts it off when it starts";
    }

    private record Printer(Output output, boolean records) implements SegmentWalk.Visitor {
        @Override
        public void header(SegmentHeader header) throws IOException {
            if (output.isJson()) {
                output.line(new Json()
                        .add("stream_id", header.stream().toString())
                        .add("base_offset", header.baseOffset()));
            } else {
                output.line("stream " + header.stream() + ", base offset " + header.baseOffset());
            }
        }

        @Override
        public void frame(long position, FrameHeader frame, StoredBatch stored) throws IOException {
            if (output.isJson()) {
                output.line(json(position, frame));
            } else {
                output.line(
                        "byte " + position + ": offsets " + frame.baseOffset() + " to " + (frame.endOffset() - 1) + ", "
                                + Amounts.time(frame.timestampMs()) + ", term " + frame.term() + ", index "
                                + frame.index() + ", "
                                + Amounts.count(frame.batch().bodyBytes(), "byte")
                                + (frame.batch().compression() == 0
                                        ? ""
                                        : ", compression " + frame.batch().compression()));
            }
            if (records) {
                printRecords(position, frame, stored);
            }
        }

        private static Json json(long position, FrameHeader frame) {
            return new Json()
                    .add("position", position)
                    .add("base_offset", frame.baseOffset())
                    .add("records", frame.batch().recordCount())
                    .add("timestamp_ms", frame.timestampMs())
                    .add("term", frame.term())
                    .add("index", frame.index())
                    .add("compression", frame.batch().compression())
                    .add("uncompressed_bytes", frame.batch().uncompressedBytes())
                    .add("body_bytes", frame.batch().bodyBytes())
                    .add("crc32c", String.format("%08x", frame.batch().crc32c()));
        }

        private void printRecords(long position, FrameHeader frame, StoredBatch stored) throws IOException {
            if (frame.batch().compression() != 0) {
                output.line(new Json()
                        .add("base_offset", frame.baseOffset())
                        .add("note", "compressed: records are not shown"));
                return;
            }
            RecordBatch batch;
            try {
                batch = RecordBatch.parseFrom(stored.batch().body().duplicate());
            } catch (InvalidProtocolBufferException e) {
                throw new IOException("the batch at byte " + position + " has good checksums, but is no RecordBatch: "
                        + e.getMessage());
            }
            long offset = frame.baseOffset();
            for (Record record : batch.getRecordsList()) {
                output.line(RecordJson.of(offset++, frame.timestampMs(), record));
            }
        }
    }
}
