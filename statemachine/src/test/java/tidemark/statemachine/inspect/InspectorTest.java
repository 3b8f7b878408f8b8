package tidemark.statemachine.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static tidemark.statemachine.env.Seeds.forAllSeeds;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tidemark.statemachine.env.FakeFileSystem;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.env.StorageFile;
import tidemark.statemachine.format.FrameCodec;
import tidemark.statemachine.format.SegmentHeader;
import tidemark.statemachine.inspect.GroupInspector.GroupReport;
import tidemark.statemachine.machine.Entries;
import tidemark.statemachine.machine.GroupMachine;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.LogPosition;
import tidemark.statemachine.model.StreamId;
import tidemark.statemachine.segment.EngineLimits;
import tidemark.statemachine.segment.Layout;

class InspectorTest {
    private static final StreamId STREAM = Entries.stream(1);
    private static final Layout LAYOUT = Layout.of(new GroupId(new UUID(3, 4)));
    private static final int BODY = 100;
    private static final int FRAME = FrameCodec.HEADER_BYTES + BODY;
    private static final String FIRST = LAYOUT.segment(STREAM, 0);

    private final FakeFileSystem files = new FakeFileSystem();

    /** Three frames of two records in the first segment, two in the second one. */
    @BeforeEach
    void store() throws Exception {
        EngineLimits limits = EngineLimits.DEFAULT.withSegmentBytes(SegmentHeader.BYTES + 3 * FRAME);
        GroupMachine machine = GroupMachine.open(files, LAYOUT, limits);
        machine.apply(new LogPosition(1, 1), Entries.entry(5, Entries.open(STREAM)));
        for (int i = 0; i < 5; i++) {
            machine.apply(
                    new LogPosition(2, 10 + i),
                    Entries.entry(1_000 + i, Entries.append(STREAM, Entries.batch(2, BODY, i))));
        }
        machine.checkpoint();
        machine.close();
    }

    private SegmentReport inspect(List<FrameInfo> seen) throws StorageException {
        return SegmentInspector.inspect(files, FIRST, OptionalLong.empty(), seen::add);
    }

    @Test
    void aSoundSegmentIsShownWhole() throws Exception {
        List<FrameInfo> seen = new ArrayList<>();
        SegmentReport report = inspect(seen);
        assertThat(report.findings()).isEmpty();
        assertThat(report.isSound()).isTrue();
        assertThat(report.header()).contains(new SegmentHeader(STREAM, 0));
        assertThat(report.endOffset()).isEqualTo(6);
        assertThat(report.lastTimestampMs()).isEqualTo(1_002);
        assertThat(seen).hasSize(3).allMatch(FrameInfo::bodyIntact);
        FrameInfo last = seen.get(2);
        assertThat(last.position()).isEqualTo(SegmentHeader.BYTES + 2 * FRAME);
        assertThat(last.header().baseOffset()).isEqualTo(4);
        assertThat(last.header().term()).isEqualTo(2);
        assertThat(last.header().index()).isEqualTo(12);
        assertThat(last.header().batch().bodyBytes()).isEqualTo(BODY);
    }

    @Test
    void afterADamagedBodyAllOtherFramesAreShown() throws Exception {
        files.flipBit(FIRST, SegmentHeader.BYTES + FRAME + FrameCodec.HEADER_BYTES + 7, 2);
        List<FrameInfo> seen = new ArrayList<>();
        SegmentReport report = inspect(seen);
        assertThat(seen).extracting(FrameInfo::bodyIntact).containsExactly(true, false, true);
        assertThat(report.findings()).hasSize(1);
        assertThat(report.findings().get(0).kind()).isEqualTo(Finding.Kind.DAMAGE);
        assertThat(report.findings().get(0).position()).isEqualTo(SegmentHeader.BYTES + FRAME);
        assertThat(report.isSound()).isFalse();
    }

    @Test
    void afterADamagedHeaderTheNextIntactFrameIsFound() throws Exception {
        files.flipBit(FIRST, SegmentHeader.BYTES + FRAME + 9, 2);
        List<FrameInfo> seen = new ArrayList<>();
        SegmentReport report = inspect(seen);
        assertThat(seen).extracting(frame -> frame.header().baseOffset()).containsExactly(0L, 4L);
        assertThat(report.findings().get(0).toString())
                .contains("DAMAGE", FIRST, "at byte " + (SegmentHeader.BYTES + FRAME), FRAME + " bytes are unreadable");
    }

    @Test
    void whereverTheFileIsCutItsBeginningIsShownAndTheRestIsATornTail() throws Exception {
        byte[] whole = files.contents(FIRST);
        for (int length = SegmentHeader.BYTES; length < whole.length; length++) {
            files.put(FIRST, Arrays.copyOf(whole, length));
            List<FrameInfo> seen = new ArrayList<>();
            SegmentReport report = inspect(seen);
            int frames = (length - SegmentHeader.BYTES) / FRAME;
            assertThat(seen).hasSize(frames);
            boolean torn = length > SegmentHeader.BYTES + frames * FRAME;
            assertThat(report.findings())
                    .extracting(Finding::kind)
                    .isEqualTo(torn ? List.of(Finding.Kind.TORN_TAIL) : List.of());
        }
    }

    @Test
    void zerosBehindTheLastFrameAreATornTail() throws Exception {
        byte[] whole = files.contents(FIRST);
        files.put(FIRST, Arrays.copyOf(whole, whole.length + 5_000));
        SegmentReport report = inspect(new ArrayList<>());
        assertThat(report.frames()).isEqualTo(3);
        assertThat(report.findings()).extracting(Finding::kind).containsExactly(Finding.Kind.TORN_TAIL);
    }

    @Test
    void anyFlippedBitIsFoundAndTheFileIsNeverChanged() {
        forAllSeeds(300, random -> {
            byte[] before = files.contents(FIRST);
            int position = random.nextInt(before.length);
            int bit = random.nextInt(8);
            files.flipBit(FIRST, position, bit);
            byte[] damaged = files.contents(FIRST);
            long changes = files.changes();
            assertThat(inspect(new ArrayList<>()).isSound()).isFalse();
            GroupReport report = GroupInspector.verify(files, LAYOUT);
            assertThat(report.isSound()).isFalse();
            assertThat(files.contents(FIRST)).isEqualTo(damaged);
            assertThat(files.changes()).isEqualTo(changes);
            files.flipBit(FIRST, position, bit);
        });
    }

    @Test
    void aSoundGroupIsVerified() throws Exception {
        GroupReport report = GroupInspector.verify(files, LAYOUT);
        assertThat(report.findings()).isEmpty();
        assertThat(report.segments()).isEqualTo(2);
        assertThat(report.frames()).isEqualTo(5);
        assertThat(report.bytes()).isEqualTo(2 * SegmentHeader.BYTES + 5 * FRAME);
        ManifestReport manifest = report.manifest().orElseThrow();
        assertThat(manifest.position()).isEqualTo(new LogPosition(2, 14));
        assertThat(manifest.state().stream(STREAM).orElseThrow().endOffset()).isEqualTo(10);
    }

    @Test
    void missingShortAndSuperfluousFilesAreFound() throws Exception {
        files.delete(LAYOUT.segment(STREAM, 6));
        byte[] whole = files.contents(FIRST);
        files.put(FIRST, Arrays.copyOf(whole, whole.length - 1));
        files.put(LAYOUT.segment(STREAM, 77), new byte[3]);
        files.createDirectories(LAYOUT.stream(Entries.stream(9)));
        GroupReport report = GroupInspector.verify(files, LAYOUT);
        assertThat(report.isSound()).isFalse();
        assertThat(report.findings())
                .extracting(Finding::kind, Finding::path)
                .contains(
                        org.assertj.core.groups.Tuple.tuple(Finding.Kind.DAMAGE, LAYOUT.segment(STREAM, 6)),
                        org.assertj.core.groups.Tuple.tuple(Finding.Kind.DAMAGE, FIRST),
                        org.assertj.core.groups.Tuple.tuple(Finding.Kind.NOTE, LAYOUT.segment(STREAM, 77)),
                        org.assertj.core.groups.Tuple.tuple(Finding.Kind.NOTE, LAYOUT.stream(Entries.stream(9))));
    }

    @Test
    void bytesBehindWhatTheManifestNamesAreNoDamage() throws Exception {
        try (StorageFile file = files.openForWrite(FIRST)) {
            file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), file.size());
        }
        GroupReport report = GroupInspector.verify(files, LAYOUT);
        assertThat(report.isSound()).isTrue();
        assertThat(report.findings()).extracting(Finding::kind).containsExactly(Finding.Kind.NOTE);
    }

    @Test
    void aDamagedManifestIsAFinding() throws Exception {
        String path = ManifestInspector.newest(files, LAYOUT.manifests()).orElseThrow();
        files.flipBit(path, 60, 1);
        assertThat(GroupInspector.verify(files, LAYOUT).findings())
                .extracting(Finding::kind)
                .containsExactly(Finding.Kind.DAMAGE);
        assertThatThrownBy(() -> ManifestInspector.inspect(files, path)).isInstanceOf(StorageException.Corrupt.class);
    }
}
