package tidemark.cli.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tidemark.cli.text.Amounts;
import tidemark.cli.text.Json;
import tidemark.statemachine.env.RealFileSystem;
import tidemark.statemachine.inspect.Finding;
import tidemark.statemachine.inspect.GroupInspector;
import tidemark.statemachine.inspect.GroupInspector.GroupReport;
import tidemark.statemachine.inspect.SegmentReport;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.segment.Layout;

/** Checks segment files, by themselves or against what the manifests say. */
@Command(
        name = "verify",
        description = {
            "Check stored streams: every checksum, dense offsets, nothing missing.",
            "A data directory is compared with its manifests, so the server should be stopped. Files by themselves may end with an "
                    + "unfinished frame, which is reported as such and is no damage. Goes on after damage and ends with exit 1 if "
                    + "there was any."
        })
final class SegmentVerifyCommand extends Subcommand {
    private static final String SUFFIX = ".seg";

    @Parameters(
            arity = "1..*",
            paramLabel = "FILE|DIR",
            description =
                    "A .seg file; a server's data directory (or its --store); or another directory: all .seg files in it "
                            + "and below it.")
    private List<String> places = new ArrayList<>();

    private long checked;
    private long damaged;

    @Override
    void run(Output output) throws Exception {
        for (String typed : places) {
            Path place = SegmentFile.path(typed);
            if (!Files.exists(place)) {
                throw new UsageException(typed + ": no such file or directory");
            }
            if (Files.isDirectory(place.resolve("manifests"))) {
                verifyStore(place, output);
            } else {
                verifyFiles(place, output);
            }
        }
        if (checked == 0) {
            throw new UsageException("nothing to verify in " + String.join(" ", places));
        }
        output.flush();
        if (damaged > 0) {
            throw new CommandException(damaged + " of " + checked + " damaged", Exit.OTHER, null);
        }
    }

    private void verifyStore(Path store, Output output) throws IOException {
        RealFileSystem files = new RealFileSystem(store);
        for (String name : files.list("streams")) {
            GroupId group;
            try {
                group = new GroupId(UUID.fromString(name));
            } catch (IllegalArgumentException notAGroup) {
                continue;
            }
            GroupReport report = GroupInspector.verify(files, Layout.of(group));
            boolean intact = report.isSound();
            count(intact);
            if (output.isJson()) {
                output.line(new Json()
                        .add("group_id", name)
                        .add("intact", intact)
                        .add("segments", report.segments())
                        .add("batches", report.frames())
                        .add("bytes", report.bytes())
                        .addStrings("findings", texts(report.findings())));
                continue;
            }
            output.line(word(intact) + "group " + name + ": " + Amounts.count(report.segments(), "segment") + ", "
                    + Amounts.count(report.frames(), "batch", "batches") + ", " + Amounts.bytes(report.bytes()));
            printFindings(report.findings(), output);
        }
    }

    private void verifyFiles(Path place, Output output) throws IOException {
        @Nullable Path previousDirectory = null;
        @Nullable SegmentReport previous = null;
        for (Path path : segmentFiles(place)) {
            SegmentReport report = SegmentFile.of(path).inspect(frame -> {});
            List<Finding> findings = new ArrayList<>(report.findings());
            boolean sameDirectory = previous != null && Objects.equals(previousDirectory, path.getParent());
            findings.addAll(misplaced(path, report, sameDirectory ? previous : null));
            print(path, report, findings, output);
            previousDirectory = path.getParent();
            previous = report;
        }
    }

    /** Names have as many digits as the largest offset, so the order of names is the order of offsets. */
    private static List<Path> segmentFiles(Path place) throws IOException {
        if (!Files.isDirectory(place)) {
            return List.of(place);
        }
        try (Stream<Path> below = Files.walk(place)) {
            return below.filter(path -> path.toString().endsWith(SUFFIX) && Files.isRegularFile(path))
                    .sorted()
                    .toList();
        }
    }

    /** Where a file begins is in its name, and where the file before it in its stream's directory ends. */
    private static List<Finding> misplaced(Path path, SegmentReport report, @Nullable SegmentReport previous) {
        if (report.header().isEmpty()) {
            return List.of();
        }
        List<Finding> findings = new ArrayList<>();
        long base = report.header().get().baseOffset();
        OptionalLong named = Layout.parseSegment(report.path());
        if (named.isPresent() && named.getAsLong() != base) {
            findings.add(damage(path, "expected base offset " + named.getAsLong() + " from the name, found " + base));
        }
        if (previous != null
                && previous.header().isPresent()
                && previous.header().get().stream().equals(report.header().get().stream())
                && previous.endOffset() != base) {
            findings.add(damage(
                    path,
                    "expected base offset " + previous.endOffset() + ", where the file before ends, found " + base));
        }
        return findings;
    }

    private static Finding damage(Path path, String message) {
        return new Finding(Finding.Kind.DAMAGE, path.toString(), 0, message);
    }

    private void print(Path path, SegmentReport report, List<Finding> findings, Output output) throws IOException {
        boolean intact = SegmentFile.damage(findings).isEmpty();
        count(intact);
        long tornAt = SegmentFile.tornAt(findings);
        if (output.isJson()) {
            Json json = new Json().add("file", path.toString()).add("intact", intact);
            report.header()
                    .ifPresent(header -> json.add("stream_id", header.stream().toString())
                            .add("base_offset", header.baseOffset())
                            .add("end_offset", report.endOffset()));
            output.line(json.add("batches", report.frames())
                    .add("bytes", report.bytes())
                    .add("unfinished_bytes", tornAt < 0 ? 0 : report.bytes() - tornAt)
                    .addStrings("findings", texts(findings)));
            return;
        }
        output.line(word(intact) + path + ": "
                + report.header()
                        .map(header -> "offsets from " + header.baseOffset() + ", end offset " + report.endOffset()
                                + ", " + Amounts.count(report.frames(), "batch", "batches") + ", ")
                        .orElse("")
                + Amounts.bytes(report.bytes())
                + (tornAt < 0 ? "" : "; " + SegmentFile.tornTail(report, tornAt)));
        printFindings(SegmentFile.damage(findings), output);
    }

    private static void printFindings(List<Finding> findings, Output output) throws IOException {
        for (Finding finding : findings) {
            output.line("         " + Failure.oneLine(finding.toString()));
        }
    }

    private void count(boolean intact) {
        checked++;
        if (!intact) {
            damaged++;
        }
    }

    private static String word(boolean intact) {
        return intact ? "intact   " : "DAMAGED  ";
    }

    private static List<String> texts(List<Finding> findings) {
        return findings.stream().map(Finding::toString).toList();
    }
}
