package tidemark.cli.command;

import com.google.protobuf.InvalidProtocolBufferException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tidemark.cli.record.RecordJson;
import tidemark.cli.text.Amounts;
import tidemark.cli.text.Json;
import tidemark.statemachine.env.StorageFile;
import tidemark.statemachine.format.FrameCodec;
import tidemark.statemachine.format.FrameHeader;
import tidemark.statemachine.format.SegmentHeader;
import tidemark.statemachine.inspect.Finding;
import tidemark.statemachine.inspect.FrameInfo;
import tidemark.statemachine.inspect.SegmentReport;
import tidemark.v1.Record;
import tidemark.v1.RecordBatch;

/** Prints what a segment file holds. */
@Command(
        name = "dump",
        description = {
            "Print the batches of a segment file.",
            "Checks everything on the way, goes on behind damage, and ends with exit 1 if there was any. json: one object a line, "
                    + "the last is the summary."
        })
final class SegmentDumpCommand extends Subcommand {
    @Parameters(paramLabel = "FILE", description = "A .seg file.")
    private String path = "";

    @Option(names = "--records", description = "Print the records of each batch too, one JSON object a line.")
    private boolean records;

    @Override
    void run(Output output) throws Exception {
        SegmentFile file = SegmentFile.of(SegmentFile.path(path));
        SegmentReport report = file.inspect(frame -> {
            output.line(output.isJson() ? json(frame).toString() : text(frame));
            if (records && frame.bodyIntact()) {
                printRecords(file, frame, output);
            }
        });
        printSummary(report, output);
        long tornAt = SegmentFile.tornAt(report.findings());
        if (tornAt >= 0) {
            surroundings().err().println("tidemark: note: " + path + ": " + SegmentFile.tornTail(report, tornAt));
        }
        List<Finding> damage = SegmentFile.damage(report.findings());
        if (!damage.isEmpty()) {
            output.flush();
            throw new CommandException(
                    path + ": " + damage.get(0).message()
                            + (damage.size() == 1 ? "" : "; and " + (damage.size() - 1) + " more"),
                    Exit.OTHER,
                    null);
        }
    }

    private static void printSummary(SegmentReport report, Output output) throws IOException {
        Optional<SegmentHeader> header = report.header();
        if (output.isJson()) {
            Json summary = new Json();
            header.ifPresent(found -> summary.add("stream_id", found.stream().toString())
                    .add("base_offset", found.baseOffset())
                    .add("end_offset", report.endOffset()));
            output.line(summary.add("batches", report.frames())
                    .add("bytes", report.bytes())
                    .addStrings(
                            "findings",
                            report.findings().stream().map(Finding::toString).toList()));
        } else if (header.isPresent()) {
            output.line("stream " + header.get().stream() + ": offsets from "
                    + header.get().baseOffset() + ", end offset "
                    + report.endOffset() + ", " + Amounts.count(report.frames(), "batch", "batches") + ", "
                    + Amounts.bytes(report.bytes()));
        }
    }

    private static String text(FrameInfo info) {
        FrameHeader frame = info.header();
        return "byte " + info.position() + ": offsets " + frame.baseOffset() + " to " + (frame.endOffset() - 1) + ", "
                + Amounts.time(frame.timestampMs()) + ", term " + frame.term() + ", index " + frame.index() + ", "
                + Amounts.count(frame.batch().bodyBytes(), "byte")
                + (frame.batch().compression() == 0
                        ? ""
                        : ", compression " + frame.batch().compression())
                + (info.bodyIntact() ? "" : ", DAMAGED");
    }

    private static Json json(FrameInfo info) {
        FrameHeader frame = info.header();
        return new Json()
                .add("position", info.position())
                .add("base_offset", frame.baseOffset())
                .add("records", frame.batch().recordCount())
                .add("timestamp_ms", frame.timestampMs())
                .add("term", frame.term())
                .add("index", frame.index())
                .add("compression", frame.batch().compression())
                .add("uncompressed_bytes", frame.batch().uncompressedBytes())
                .add("body_bytes", frame.batch().bodyBytes())
                .add("crc32c", String.format("%08x", frame.batch().crc32c()))
                .add("intact", info.bodyIntact());
    }

    private static void printRecords(SegmentFile file, FrameInfo info, Output output) throws IOException {
        FrameHeader frame = info.header();
        if (frame.batch().compression() != 0) {
            output.line(
                    new Json().add("base_offset", frame.baseOffset()).add("note", "compressed: records are not shown"));
            return;
        }
        RecordBatch batch;
        try {
            batch = RecordBatch.parseFrom(body(file, info));
        } catch (InvalidProtocolBufferException e) {
            throw new IOException(file.path() + ": the batch at byte " + info.position()
                    + " has good checksums, but is no RecordBatch: " + e.getMessage());
        }
        long offset = frame.baseOffset();
        for (Record record : batch.getRecordsList()) {
            output.line(RecordJson.of(offset++, frame.timestampMs(), record));
        }
    }

    private static ByteBuffer body(SegmentFile file, FrameInfo info) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(info.header().frameBytes());
        try (StorageFile opened = file.files().openForRead(file.name())) {
            opened.read(bytes, info.position());
        }
        return FrameCodec.batch(file.name(), info.position(), info.header(), bytes.flip())
                .batch()
                .body();
    }
}
