package tidemark.statemachine.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import tidemark.statemachine.env.Crc32c;
import tidemark.statemachine.env.FakeFileSystem;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.format.StoredBatch;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.LogPosition;
import tidemark.statemachine.model.Outcome;
import tidemark.statemachine.model.StreamId;
import tidemark.statemachine.read.ReadCursor;
import tidemark.statemachine.read.ReadResult;
import tidemark.statemachine.segment.EngineLimits;
import tidemark.statemachine.segment.Layout;

/** A machine on a fake disk, and the log that would replay what a crash takes from it. */
final class Replica {
    static final Layout LAYOUT = Layout.of(new GroupId(new UUID(1, 2)));
    /** Small, so that a few entries make many segments, chunks and index entries. */
    static final EngineLimits LIMITS = new EngineLimits(900, 200, 300, 3, 2, 4);

    final FakeFileSystem files;
    private final List<RandomLog.Logged> log;
    private GroupMachine machine;

    Replica(FakeFileSystem files, List<RandomLog.Logged> log) throws StorageException {
        this.files = files;
        this.log = log;
        this.machine = GroupMachine.open(files, LAYOUT, LIMITS);
    }

    GroupMachine machine() {
        return machine;
    }

    /** Opens the machine from disk, without having closed it: it has crashed. */
    void reopen() throws StorageException {
        machine = GroupMachine.open(files, LAYOUT, LIMITS);
    }

    /** Applies what the log has after the machine's position, up to so many entries of it, and checks the answers. */
    void applyUpTo(int count) throws StorageException {
        for (RandomLog.Logged logged : log.subList(0, count)) {
            if (logged.at().compareTo(machine.applied()) > 0) {
                List<Outcome> outcomes = machine.apply(logged.at(), Entries.bytes(logged.entry()));
                assertThat(withoutFreed(outcomes)).isEqualTo(logged.outcomes());
            }
        }
    }

    /** The model does not know what truncation frees. */
    private static List<Outcome> withoutFreed(List<Outcome> outcomes) {
        List<Outcome> comparable = new ArrayList<>();
        for (Outcome outcome : outcomes) {
            comparable.add(
                    outcome instanceof Outcome.Truncated truncated
                            ? new Outcome.Truncated(truncated.previousStart(), truncated.start(), 0)
                            : outcome);
        }
        return comparable;
    }

    /** The machine shows and reads exactly what the model has. */
    void assertEquals(ModelMachine model) throws StorageException {
        assertThat(machine.streams()).isEqualTo(model.streams.keySet());
        for (Map.Entry<StreamId, ModelMachine.Stream> entry : model.streams.entrySet()) {
            ModelMachine.Stream stream = entry.getValue();
            StreamView view = machine.stream(entry.getKey()).orElseThrow();
            assertThat(view.startOffset()).isEqualTo(stream.start);
            assertThat(view.endOffset()).isEqualTo(stream.end);
            assertThat(view.lastTimestampMs()).isEqualTo(stream.lastTimestampMs);
            assertThat(view.sealed()).isEqualTo(stream.sealed);
            assertThat(readAll(machine.cursor(entry.getKey(), stream.start))).isEqualTo(stream.readable());
        }
    }

    static List<StoredBatch> readAll(ReadCursor cursor) throws StorageException {
        List<StoredBatch> all = new ArrayList<>();
        while (cursor.next(500) instanceof ReadResult.Batches read) {
            assertThat(read.batches()).isNotEmpty();
            all.addAll(read.batches());
        }
        return all;
    }

    /** Length and checksum of all segment files, by path, and of the newest manifest. */
    Map<String, String> durableState() throws StorageException {
        Map<String, String> state = new TreeMap<>();
        for (StreamId id : machine.streams()) {
            String directory = LAYOUT.stream(id);
            for (String name : files.list(directory)) {
                if (Layout.parseSegment(name).isPresent()) {
                    state.put(directory + "/" + name, digest(files.contents(directory + "/" + name)));
                }
            }
        }
        state.put("manifest", digest(machine.newestManifest().orElseThrow()));
        return state;
    }

    private static String digest(byte[] bytes) {
        return bytes.length + " bytes " + Crc32c.toText(Crc32c.of(ByteBuffer.wrap(bytes)));
    }

    static LogPosition last(List<RandomLog.Logged> log) {
        return log.get(log.size() - 1).at();
    }
}
