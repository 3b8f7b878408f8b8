package tidemark.statemachine.inspect;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import tidemark.statemachine.env.FileSystem;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.format.SegmentHeader;
import tidemark.statemachine.manifest.GroupState;
import tidemark.statemachine.manifest.GroupState.StreamState;
import tidemark.statemachine.model.StreamId;
import tidemark.statemachine.segment.Layout;
import tidemark.statemachine.segment.Segment;

/**
 * Compares all files of a group with its newest manifest. Reads every byte. For a group that no server has open: of one that is open,
 * what is appended and deleted meanwhile may show as findings.
 */
public final class GroupInspector {
    private final FileSystem files;
    private final Layout layout;
    private final List<Finding> findings = new ArrayList<>();
    private long segments;
    private long frames;
    private long bytes;

    private GroupInspector(FileSystem files, Layout layout) {
        this.files = files;
        this.layout = layout;
    }

    /**
     * What was verified.
     *
     * @param manifest empty if there is none, or it is damaged
     */
    public record GroupReport(
            Optional<ManifestReport> manifest, long segments, long frames, long bytes, List<Finding> findings) {
        /** Whether all that the manifest names can be read. */
        public boolean isSound() {
            return findings.stream().allMatch(finding -> finding.kind() == Finding.Kind.NOTE);
        }
    }

    /** @throws StorageException if files cannot be read; not for what is in them */
    public static GroupReport verify(FileSystem files, Layout layout) throws StorageException {
        return new GroupInspector(files, layout).run();
    }

    private GroupReport run() throws StorageException {
        Optional<ManifestReport> manifest = manifest();
        if (manifest.isPresent()) {
            GroupState state = manifest.get().state();
            for (StreamState stream : state.streams()) {
                verify(stream);
            }
            noteUnknown(state);
        }
        return new GroupReport(manifest, segments, frames, bytes, List.copyOf(findings));
    }

    private Optional<ManifestReport> manifest() throws StorageException {
        Optional<String> path = ManifestInspector.newest(files, layout.manifests());
        if (path.isEmpty()) {
            note(layout.manifests(), 0, "no manifest: all is still in the journal");
            return Optional.empty();
        }
        try {
            return Optional.of(ManifestInspector.inspect(files, path.get()));
        } catch (StorageException.Corrupt damage) {
            findings.add(new Finding(Finding.Kind.DAMAGE, path.get(), 0, String.valueOf(damage.getMessage())));
        } catch (StorageException.UnsupportedVersion other) {
            findings.add(
                    new Finding(Finding.Kind.UNSUPPORTED_VERSION, path.get(), 0, String.valueOf(other.getMessage())));
        }
        return Optional.empty();
    }

    private void verify(StreamState stream) throws StorageException {
        Set<Long> named = new HashSet<>();
        for (Segment segment : stream.segments()) {
            named.add(segment.baseOffset());
            verify(stream.id(), segment);
        }
        noteUnnamed(stream.id(), named);
    }

    private void verify(StreamId stream, Segment segment) throws StorageException {
        String path = layout.segment(stream, segment.baseOffset());
        if (!files.exists(path)) {
            damage(path, 0, "no file; " + segment.length() + " bytes were stored");
            return;
        }
        SegmentReport report = SegmentInspector.inspect(files, path, OptionalLong.of(segment.length()), frame -> {});
        findings.addAll(report.findings());
        segments++;
        frames += report.frames();
        bytes += report.bytes();
        SegmentHeader expected = new SegmentHeader(stream, segment.baseOffset());
        report.header()
                .filter(header -> !header.equals(expected))
                .ifPresent(header -> damage(path, 0, "expected " + expected + ", found " + header));
        boolean sameEnd =
                report.endOffset() == segment.endOffset() && report.lastTimestampMs() == segment.lastTimestampMs();
        if (report.isSound() && !sameEnd) {
            damage(
                    path,
                    report.bytes(),
                    "expected " + segment + ", found end offset " + report.endOffset() + ", last timestamp "
                            + report.lastTimestampMs());
        }
        long size = files.size(path);
        if (size > segment.length()) {
            note(path, segment.length(), (size - segment.length()) + " bytes behind what the manifest names");
        }
    }

    private void noteUnknown(GroupState state) throws StorageException {
        for (String name : files.list(layout.streams())) {
            Optional<StreamId> stream = Layout.parseStream(name);
            if (stream.isPresent() && state.stream(stream.get()).isEmpty()) {
                note(layout.stream(stream.get()), 0, "a stream that the manifest does not name");
            } else if (stream.isEmpty()) {
                note(layout.streams() + "/" + name, 0, "not the directory of a stream");
            }
        }
    }

    private void noteUnnamed(StreamId stream, Set<Long> named) throws StorageException {
        for (String name : files.list(layout.stream(stream))) {
            OptionalLong base = Layout.parseSegment(name);
            if (base.isPresent() && !named.contains(base.getAsLong())) {
                note(layout.stream(stream) + "/" + name, 0, "a segment that the manifest does not name");
            }
        }
    }

    private void damage(String path, long position, String message) {
        findings.add(new Finding(Finding.Kind.DAMAGE, path, position, message));
    }

    private void note(String path, long position, String message) {
        findings.add(new Finding(Finding.Kind.NOTE, path, position, message));
    }
}
