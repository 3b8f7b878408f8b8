package tidemark.cli.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tidemark.cli.segment.SegmentWalk;
import tidemark.cli.text.Amounts;
import tidemark.cli.text.Json;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.format.FrameHeader;
import tidemark.statemachine.format.SegmentHeader;
import tidemark.statemachine.format.StoredBatch;

/** Checks segment files. */
@Command(
        name = "verify",
        description = {
            "Check segment files: every checksum, dense offsets, nothing missing between files.",
            "Goes on after a damaged file and ends with exit 1 if there was one. An unfinished frame at the end of a stream's last "
                    + "file is no damage: a server is writing it, or cuts it off when it starts."
        })
final class SegmentVerifyCommand extends Subcommand {
    private static final String SUFFIX = ".seg";

    @Parameters(
            arity = "1..*",
            paramLabel = "FILE|DIR",
            description = "A .seg file, or a directory: all .seg files in it and below it.")
    private List<String> places = new ArrayList<>();

    private long damaged;
    private @Nullable Path previousFile;
    private SegmentWalk.@Nullable Summary previous;

    @Override
    void run(Output output) throws Exception {
        List<Path> files = new ArrayList<>();
        for (String place : places) {
            find(SegmentDumpCommand.path(place), files);
        }
        if (files.isEmpty()) {
            throw new UsageException("no " + SUFFIX + " file in " + String.join(" ", places));
        }
        for (Path file : files) {
            verify(file, output);
        }
        output.flush();
        if (damaged > 0) {
            throw new CommandException(
                    Amounts.count(damaged, "file") + " of " + files.size() + " damaged", Exit.OTHER, null);
        }
    }

    private static void find(Path place, List<Path> files) throws IOException {
        if (!Files.exists(place)) {
            throw new UsageException(place + ": no such file or directory");
        }
        if (!Files.isDirectory(place)) {
            files.add(place);
            return;
        }
        // Names have as many digits as the largest offset, so the order of names is the order of offsets.
        try (Stream<Path> below = Files.walk(place)) {
            below.filter(path -> path.getFileName().toString().endsWith(SUFFIX) && Files.isRegularFile(path))
                    .sorted()
                    .forEach(files::add);
        }
    }

    private void verify(Path file, Output output) throws Exception {
        SegmentWalk.Summary summary;
        try {
            summary = SegmentWalk.walk(file, NOTHING);
            checkNeighbour(file, summary);
        } catch (StorageException e) {
            damaged++;
            previous = null;
            report(file, Failure.oneLine(e.getMessage()), output);
            return;
        }
        previousFile = file;
        previous = summary;
        if (output.isJson()) {
            output.line(new Json()
                    .add("file", file.toString())
                    .add("intact", true)
                    .add("stream_id", summary.header().stream().toString())
                    .add("base_offset", summary.header().baseOffset())
                    .add("end_offset", summary.endOffset())
                    .add("batches", summary.batches())
                    .add("bytes", summary.intactBytes())
                    .add("unfinished_bytes", summary.tornBytes()));
            return;
        }
        output.line("intact   " + file + ": " + Amounts.count(summary.records(), "record") + " from offset "
                + summary.header().baseOffset() + ", " + Amounts.bytes(summary.intactBytes())
                + (summary.tornBytes() == 0
                        ? ""
                        : ", then " + Amounts.count(summary.tornBytes(), "byte") + " of an unfinished frame"));
    }

    /** Within a stream's directory, each file begins where the one before it ends, and only the last may be unfinished. */
    private void checkNeighbour(Path file, SegmentWalk.Summary summary) throws StorageException {
        if (previous == null
                || previousFile == null
                || !Objects.equals(file.getParent(), previousFile.getParent())
                || !previous.header().stream().equals(summary.header().stream())) {
            return;
        }
        if (previous.endOffset() != summary.header().baseOffset() || previous.tornBytes() > 0) {
            throw new StorageException.Corrupt(
                    file.toString(),
                    0,
                    "base offset " + previous.endOffset() + ", where " + previousFile.getFileName() + " ends"
                            + (previous.tornBytes() > 0 ? " (unfinished)" : ""),
                    Long.toString(summary.header().baseOffset()));
        }
    }

    private static void report(Path file, String problem, Output output) throws IOException {
        if (output.isJson()) {
            output.line(
                    new Json().add("file", file.toString()).add("intact", false).add("problem", problem));
        } else {
            output.line("DAMAGED  " + file + ": " + problem);
        }
    }

    private static final SegmentWalk.Visitor NOTHING = new SegmentWalk.Visitor() {
        @Override
        public void header(SegmentHeader header) {}

        @Override
        public void frame(long position, FrameHeader header, StoredBatch batch) {}
    };
}
