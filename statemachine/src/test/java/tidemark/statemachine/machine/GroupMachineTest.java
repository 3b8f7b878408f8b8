package tidemark.statemachine.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tidemark.engine.proto.Append;
import tidemark.engine.proto.Command;
import tidemark.engine.proto.Entry;
import tidemark.statemachine.env.FakeFileSystem;
import tidemark.statemachine.env.FakeFileSystem.Operation;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.format.FrameCodec;
import tidemark.statemachine.format.SegmentHeader;
import tidemark.statemachine.format.StoredBatch;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.LogPosition;
import tidemark.statemachine.model.Outcome;
import tidemark.statemachine.model.StreamId;
import tidemark.statemachine.read.ReadCursor;
import tidemark.statemachine.read.ReadResult;
import tidemark.statemachine.segment.EngineLimits;
import tidemark.statemachine.segment.Layout;
import tidemark.statemachine.segment.SegmentFiles;

class GroupMachineTest {
    private static final StreamId STREAM = Entries.stream(1);
    private static final Layout LAYOUT = Layout.of(new GroupId(new UUID(5, 6)));
    private static final int BODY = 100;
    private static final int FRAME = FrameCodec.HEADER_BYTES + BODY;
    /** Three batches of ten records fill a segment. */
    private static final EngineLimits LIMITS = EngineLimits.DEFAULT.withSegmentBytes(SegmentHeader.BYTES + 3 * FRAME);

    private final FakeFileSystem files = new FakeFileSystem();
    private GroupMachine machine = open();
    private long index;

    private GroupMachine open() {
        try {
            return GroupMachine.open(files, LAYOUT, LIMITS);
        } catch (StorageException e) {
            throw new AssertionError(e);
        }
    }

    @BeforeEach
    void openStream() throws Exception {
        assertThat(apply(Entries.open(STREAM))).isEqualTo(new Outcome.Done());
    }

    private Outcome apply(Command command) throws StorageException {
        return applyAt(1_000 + index, command);
    }

    private Outcome applyAt(long timestampMs, Command command) throws StorageException {
        List<Outcome> outcomes = machine.apply(new LogPosition(3, ++index), Entries.entry(timestampMs, command));
        assertThat(outcomes).hasSize(1);
        return outcomes.get(0);
    }

    /** Appends batches of ten records. */
    private void append(int batches) throws StorageException {
        for (int i = 0; i < batches; i++) {
            assertThat(apply(Entries.append(STREAM, Entries.batch(10, BODY, i))))
                    .isInstanceOf(Outcome.Appended.class);
        }
    }

    private StreamView view() {
        return machine.stream(STREAM).orElseThrow();
    }

    private List<String> segmentNames() throws StorageException {
        return files.list(LAYOUT.stream(STREAM)).stream()
                .filter(name -> name.endsWith(".seg"))
                .toList();
    }

    private ReadResult readAt(long offset) throws StorageException {
        return machine.cursor(STREAM, offset).next(1);
    }

    private static StoredBatch only(ReadResult result) {
        assertThat(result.kind()).isEqualTo(ReadResult.Kind.BATCHES);
        List<StoredBatch> batches = ((ReadResult.Batches) result).batches();
        assertThat(batches).hasSize(1);
        return batches.get(0);
    }

    // ---- truncation

    @Test
    void truncationIsExactInsideABatchOfTheActiveSegment() throws Exception {
        append(2);
        assertThat(apply(Entries.truncate(STREAM, 13))).isEqualTo(new Outcome.Truncated(0, 13, 0));
        assertThat(view().startOffset()).isEqualTo(13);
        assertThat(readAt(12)).isEqualTo(new ReadResult.Truncated(13, 20));
        assertThat(only(readAt(13)).baseOffset()).isEqualTo(10);
        machine.checkpoint();
        machine = open();
        assertThat(view().startOffset()).isEqualTo(13);
        assertThat(readAt(12)).isEqualTo(new ReadResult.Truncated(13, 20));
    }

    @Test
    void wholeSegmentsLeaveTheViewAtOnceAndTheDiskAfterTheNextCheckpoint() throws Exception {
        append(7);
        machine.sync();
        long segment = SegmentHeader.BYTES + 3 * FRAME;
        assertThat(view().storedBytes()).isEqualTo(2 * segment + SegmentHeader.BYTES + FRAME);
        assertThat(view().bytesFreedBefore(59)).isEqualTo(segment);
        assertThat(view().bytesFreedBefore(60)).isEqualTo(2 * segment);
        assertThat(view().bytesFreedBefore(1_000)).isEqualTo(view().storedBytes());

        assertThat(apply(Entries.truncate(STREAM, 60))).isEqualTo(new Outcome.Truncated(0, 60, 2 * segment));
        assertThat(view().storedBytes()).isEqualTo(SegmentHeader.BYTES + FRAME);
        assertThat(machine.reclaimableBytes()).isEqualTo(2 * segment);
        assertThat(segmentNames()).hasSize(3);
        machine.checkpoint();
        assertThat(machine.reclaimableBytes()).isZero();
        assertThat(files.list(LAYOUT.stream(STREAM))).containsExactly("00000000000000000060.seg");
    }

    @Test
    void offsetsGoOnAfterEverythingWasTruncated() throws Exception {
        append(2);
        assertThat(apply(Entries.truncate(STREAM, 20)))
                .isEqualTo(new Outcome.Truncated(0, 20, SegmentHeader.BYTES + 2 * FRAME));
        assertThat(view().storedBytes()).isZero();
        machine.checkpoint();
        assertThat(segmentNames()).isEmpty();
        machine = open();
        append(1);
        assertThat(only(readAt(20)).baseOffset()).isEqualTo(20);
        assertThat(segmentNames()).containsExactly("00000000000000000020.seg");
    }

    @Test
    void truncationNeverGoesBackNorBeyondTheEnd() throws Exception {
        append(2);
        apply(Entries.truncate(STREAM, 5));
        assertThat(apply(Entries.truncate(STREAM, 4))).isEqualTo(new Outcome.Truncated(5, 5, 0));
        assertThat(apply(Entries.truncate(STREAM, -1))).isEqualTo(new Outcome.Truncated(5, 5, 0));
        assertThat(apply(Entries.truncate(STREAM, 21))).isEqualTo(new Outcome.BeyondEnd(21, 5, 20));
        assertThat(apply(Entries.truncateIf(STREAM, 7, 4))).isEqualTo(new Outcome.StartConflict(4, 5, 20));
        assertThat(apply(Entries.truncateIf(STREAM, 7, 5))).isEqualTo(new Outcome.Truncated(5, 7, 0));
    }

    @Test
    void aCursorWhosePlaceIsTruncatedAndDeletedSaysSo() throws Exception {
        append(7);
        ReadCursor cursor = machine.cursor(STREAM, 0);
        only(cursor.next(1));
        apply(Entries.truncate(STREAM, 60));
        machine.checkpoint();
        assertThat(cursor.next(1)).isEqualTo(new ReadResult.Truncated(60, 70));
        cursor.seek(60);
        assertThat(only(cursor.next(1)).baseOffset()).isEqualTo(60);
    }

    // ---- what commands are answered

    @Test
    void rejectedCommandsChangeNothingAndDoNotAffectOthers() throws Exception {
        append(1);
        StreamId unknown = Entries.stream(99);
        Command badId = Command.newBuilder()
                .setStreamId(ByteString.copyFrom(new byte[3]))
                .setAppend(Entries.message(Entries.batch(1, 1, 1)))
                .build();
        Append.Builder bad = Entries.message(Entries.batch(1, 1, 1));
        Command badBatch = Entries.append(STREAM, Entries.batch(1, 1, 1)).toBuilder()
                .setAppend(bad.setRecordCount(0))
                .build();
        List<Outcome> outcomes = machine.apply(
                new LogPosition(3, ++index),
                Entries.entry(
                        1,
                        Entries.append(unknown, Entries.batch(1, 1, 1)),
                        Entries.appendIf(STREAM, Entries.batch(1, 1, 1), 9),
                        badId,
                        badBatch,
                        Entries.append(STREAM, Entries.batch(1, 1, 1)),
                        Entries.barrier()));
        assertThat(outcomes.get(0)).isEqualTo(new Outcome.UnknownStream());
        assertThat(outcomes.get(1)).isEqualTo(new Outcome.EndConflict(9, 10, view().lastTimestampMs()));
        assertThat(outcomes.get(2)).isEqualTo(new Outcome.Invalid("stream id of 3 bytes; must be 16"));
        assertThat(outcomes.get(3)).isInstanceOf(Outcome.Invalid.class);
        assertThat(outcomes.get(4)).isEqualTo(new Outcome.Appended(10, 11, view().lastTimestampMs(), 3, false));
        assertThat(outcomes.get(5)).isEqualTo(new Outcome.Done());
    }

    @Test
    void aSealedStreamTakesNoAppendsButAnswersRepeatsAndIsTruncated() throws Exception {
        Command append = Entries.appendBy(STREAM, Entries.batch(10, BODY, 1), 1, 0);
        Outcome.Appended first = (Outcome.Appended) apply(append);
        assertThat(apply(Entries.seal(STREAM))).isEqualTo(new Outcome.Sealed(10));
        assertThat(view().sealed()).isTrue();
        assertThat(apply(Entries.append(STREAM, Entries.batch(1, 1, 1)))).isEqualTo(new Outcome.StreamSealed(10));
        assertThat(apply(append)).isEqualTo(new Outcome.Appended(0, 10, first.timestampMs(), first.term(), true));
        machine.checkpoint();
        machine = open();
        assertThat(apply(append)).as("remembered through a restart").isInstanceOf(Outcome.Appended.class);
        assertThat(readAt(10)).isEqualTo(new ReadResult.AtEnd(0, 10, true));
        assertThat(apply(Entries.truncate(STREAM, 4))).isEqualTo(new Outcome.Truncated(0, 4, 0));
    }

    @Test
    void aRepeatTooOldToRememberIsNotCalledUnwrittenOnceTheStreamIsSealed() throws Exception {
        int appends = WriterTable.ANSWERS_MAX + 1;
        for (int sequence = 0; sequence < appends; sequence++) {
            apply(Entries.appendBy(STREAM, Entries.batch(1, 1, sequence), 1, sequence));
        }
        apply(Entries.seal(STREAM));
        assertThat(apply(Entries.appendBy(STREAM, Entries.batch(1, 1, 0), 1, 0)))
                .as("it was written: sealed would mean that it was not")
                .isEqualTo(new Outcome.SequenceExpired(0, appends));
        assertThat(apply(Entries.appendBy(STREAM, Entries.batch(1, 1, 0), 1, appends)))
                .as("a new one was not")
                .isEqualTo(new Outcome.StreamSealed(appends));
    }

    @Test
    void timestampsNeverGoBackAndFindOffsets() throws Exception {
        applyAt(500, Entries.append(STREAM, Entries.batch(10, BODY, 1)));
        applyAt(300, Entries.append(STREAM, Entries.batch(10, BODY, 2)));
        applyAt(700, Entries.append(STREAM, Entries.batch(10, BODY, 3)));
        assertThat(only(readAt(10)).timestampMs()).isEqualTo(500);
        assertThat(view().offsetAtTime(0)).isZero();
        assertThat(view().offsetAtTime(500)).isZero();
        assertThat(view().offsetAtTime(501)).isEqualTo(20);
        assertThat(view().offsetAtTime(700)).isEqualTo(20);
        assertThat(view().offsetAtTime(701)).isEqualTo(30);
        apply(Entries.truncate(STREAM, 5));
        assertThat(view().offsetAtTime(0)).isEqualTo(5);
    }

    @Test
    void anEntryThatCannotBeUnderstoodStopsTheMachineAndChangesNothing() throws Exception {
        append(1);
        Entry ofTheFuture = Entry.newBuilder()
                .addCommands(Entries.append(STREAM, Entries.batch(10, BODY, 2)))
                .addCommands(Command.newBuilder())
                .build();
        assertThatThrownBy(() -> machine.apply(new LogPosition(3, 100), Entries.bytes(ofTheFuture)))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("newer version");
        assertThat(view().endOffset()).isEqualTo(10);
        assertThatThrownBy(() -> append(1)).hasMessageContaining("must be opened again");
        machine = open();
        assertThatThrownBy(() -> machine.apply(new LogPosition(3, 100), ByteBuffer.wrap(new byte[] {-1, -1})))
                .isInstanceOf(StorageException.class);
    }

    @Test
    void positionsOnlyRise() throws Exception {
        machine.advance(new LogPosition(3, 50));
        assertThat(machine.applied()).isEqualTo(new LogPosition(3, 50));
        assertThatThrownBy(() -> machine.advance(new LogPosition(3, 50))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> machine.apply(new LogPosition(3, 49), Entries.entry(1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(machine.checkpoint()).isEqualTo(new LogPosition(3, 50));
        assertThat(open().applied()).isEqualTo(new LogPosition(3, 50));
    }

    @Test
    void streamsHaveALimit() throws Exception {
        Command.Builder open = Entries.open(STREAM).toBuilder();
        Entry.Builder entry = Entry.newBuilder();
        for (int i = 0; i < EntryApplier.STREAMS_MAX; i++) {
            entry.addCommands(
                    open.setStreamId(Entries.open(Entries.stream(1_000 + i)).getStreamId())
                            .build());
        }
        List<Outcome> outcomes = machine.apply(new LogPosition(3, ++index), Entries.bytes(entry.build()));
        assertThat(outcomes.get(EntryApplier.STREAMS_MAX - 2)).isEqualTo(new Outcome.Done());
        assertThat(outcomes.get(EntryApplier.STREAMS_MAX - 1)).isInstanceOf(Outcome.Invalid.class);
    }

    // ---- what costs what

    @Test
    void applyingSyncsNothing() throws Exception {
        append(1);
        long syncs = files.syncs();
        long directorySyncs = files.directorySyncs();
        append(10);
        assertThat(files.syncs()).isEqualTo(syncs);
        assertThat(files.directorySyncs()).isEqualTo(directorySyncs);
    }

    @Test
    void anEntryOfManyAppendsIsOneWrite() throws Exception {
        append(1);
        long changes = files.changes();
        machine.apply(
                new LogPosition(3, ++index),
                Entries.entry(
                        1,
                        Entries.append(STREAM, Entries.batch(1, 10, 1)),
                        Entries.append(STREAM, Entries.batch(1, 10, 2)),
                        Entries.append(STREAM, Entries.batch(1, 10, 3))));
        assertThat(files.changes() - changes).isEqualTo(1);
    }

    @Test
    void openingReadsNoSegment() throws Exception {
        append(50);
        machine.sync();
        machine.checkpoint();
        machine.close();
        List<String> touched = new ArrayList<>();
        files.inject((operation, path, number) -> {
            if ((operation == Operation.READ || operation == Operation.OPEN) && !path.contains("manifest")) {
                touched.add(path);
            }
            return Optional.empty();
        });
        machine = open();
        assertThat(touched).isEmpty();
        assertThat(view().endOffset()).isEqualTo(500);
    }

    @Test
    void openFilesAreBoundedOverAllStreamsAndAllClosedAtTheEnd() throws Exception {
        EngineLimits limits = new EngineLimits(SegmentHeader.BYTES + 3 * FRAME, 100, 1_000, 5, 2, 4);
        SegmentFiles segments = new SegmentFiles(files, limits);
        List<GroupMachine> machines = new ArrayList<>();
        for (int group = 0; group < 2; group++) {
            machines.add(GroupMachine.open(files, segments, Layout.of(new GroupId(new UUID(9, group)))));
        }
        SplittableRandom random = new SplittableRandom(1);
        int streams = 30;
        for (int i = 1; i <= 500; i++) {
            StreamId stream = Entries.stream(random.nextInt(streams));
            GroupMachine one = machines.get(random.nextInt(2));
            LogPosition at = new LogPosition(1, one.applied().index() + 1);
            one.apply(at, Entries.entry(i, Entries.open(stream), Entries.append(stream, Entries.batch(1, BODY, i))));
            one.cursor(stream, 0).next(1);
            // Not yet synced ones of both groups, and idle ones.
            assertThat(files.openFiles()).isLessThanOrEqualTo(2 * 4 + 5);
            assertThat(segments.openFiles()).isLessThanOrEqualTo(2 * 4 + 5);
        }
        for (GroupMachine one : machines) {
            one.checkpoint();
            one.close();
        }
        segments.close();
        assertThat(files.openFiles()).isZero();
    }

    // ---- files that are not as they should be

    @Test
    void aMissingOrShortSegmentIsRefusedByName() throws Exception {
        append(7);
        machine.checkpoint();
        machine.close();
        String path = LAYOUT.segment(STREAM, 30);
        byte[] whole = files.contents(path);
        files.put(path, java.util.Arrays.copyOf(whole, whole.length - 1));
        assertThatThrownBy(() -> GroupMachine.open(files, LAYOUT, LIMITS))
                .isInstanceOf(StorageException.Corrupt.class)
                .hasMessageContaining(path)
                .hasMessageContaining("a file of at least " + whole.length + " bytes");
        files.delete(path);
        assertThatThrownBy(() -> GroupMachine.open(files, LAYOUT, LIMITS))
                .isInstanceOf(StorageException.Corrupt.class)
                .hasMessageContaining(path)
                .hasMessageContaining("none");
    }

    @Test
    void filesThatAreNotOursAreLeftAlone() throws Exception {
        append(7);
        machine.checkpoint();
        files.put(LAYOUT.streams() + "/README", new byte[] {1});
        files.put(LAYOUT.stream(STREAM) + "/00000000000000000030.seg.bak", new byte[] {1});
        machine.close();
        machine = open();
        append(1);
        machine.checkpoint();
        assertThat(files.exists(LAYOUT.streams() + "/README")).isTrue();
        assertThat(files.exists(LAYOUT.stream(STREAM) + "/00000000000000000030.seg.bak"))
                .isTrue();
    }

    /** A lost manifest must not cost the segments as well. */
    @Test
    void segmentsWithoutAManifestStayUntilTheNextCheckpoint() throws Exception {
        append(7);
        machine.sync();
        machine.close();
        machine = open();
        assertThat(machine.applied()).isEqualTo(LogPosition.NONE);
        machine.checkpoint();
        assertThat(segmentNames()).hasSize(3);
        assertThat(machine.reclaimableBytes()).isPositive();
        machine.advance(new LogPosition(1, 1));
        machine.checkpoint();
        assertThat(segmentNames()).isEmpty();
    }

    @Test
    void damageIsReportedToTheReaderEachTimeAndNeverSkipped() throws Exception {
        append(3);
        files.flipBit(LAYOUT.segment(STREAM, 0), SegmentHeader.BYTES + FRAME + FrameCodec.HEADER_BYTES, 0);
        ReadCursor cursor = machine.cursor(STREAM, 0);
        only(cursor.next(1));
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> cursor.next(1))
                    .isInstanceOf(StorageException.Corrupt.class)
                    .hasMessageContaining(LAYOUT.segment(STREAM, 0));
            assertThat(cursor.nextOffset()).isEqualTo(10);
        }
        cursor.seek(20);
        assertThat(only(cursor.next(1)).baseOffset()).isEqualTo(20);
        append(1);
    }

    @Test
    void aClosedMachineIsUnavailableToReaders() throws Exception {
        append(1);
        ReadCursor cursor = machine.cursor(STREAM, 0);
        machine.close();
        assertThat(cursor.next(1)).isEqualTo(new ReadResult.Unavailable());
        assertThat(machine.stream(STREAM)).isEmpty();
        assertThatThrownBy(() -> append(1)).hasMessageContaining("closed");
        assertThat(open().cursor(Entries.stream(77), 0).next(1)).isEqualTo(new ReadResult.Unavailable());
        assertThat(files.openFiles()).isZero();
    }

    @Test
    void whatAnotherReplicaIsGivenStaysReadableWhenItIsDeleted() throws Exception {
        append(3);
        machine.checkpoint();
        byte[] whole = files.contents(LAYOUT.segment(STREAM, 0));
        try (var file = machine.openSegment(STREAM, 0).orElseThrow()) {
            apply(Entries.truncate(STREAM, 30));
            machine.checkpoint();
            assertThat(machine.openSegment(STREAM, 0)).isEmpty();
            ByteBuffer read = ByteBuffer.allocate(whole.length);
            file.read(read, 0);
            assertThat(read.array()).isEqualTo(whole);
        }
    }

    @Test
    void streamsAreListed() throws Exception {
        Set<StreamId> expected = new TreeSet<>(Set.of(STREAM, Entries.stream(4)));
        apply(Entries.open(Entries.stream(4)));
        assertThat(machine.streams()).isEqualTo(expected);
        machine.checkpoint();
        assertThat(open().streams()).isEqualTo(expected);
    }
}
