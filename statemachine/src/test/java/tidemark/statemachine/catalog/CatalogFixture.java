package tidemark.statemachine.catalog;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import tidemark.statemachine.env.FakeFileSystem;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.LogPosition;
import tidemark.statemachine.model.Outcome;
import tidemark.statemachine.model.StreamEntry.StreamSettings;
import tidemark.statemachine.model.StreamId;

/** A catalog machine on a fake disk, and short words for what is done to it. */
final class CatalogFixture {
    static final String DIRECTORY = "manifests/catalog";
    static final StreamSettings SINGLE = settings(1);

    final FakeFileSystem files = new FakeFileSystem();
    private CatalogMachine machine;
    private long index;

    CatalogFixture() throws StorageException {
        machine = CatalogMachine.open(files, DIRECTORY);
    }

    CatalogMachine machine() {
        return machine;
    }

    CatalogState state() {
        return machine.state();
    }

    /** Opens the machine again from disk. */
    void reopen() throws StorageException {
        machine = CatalogMachine.open(files, DIRECTORY);
        index = Math.max(0, machine.applied().index());
    }

    /** Applies an entry of one command. */
    Outcome apply(byte[] entry) throws StorageException {
        List<Outcome> outcomes = applyAll(entry);
        if (outcomes.size() != 1) {
            throw new AssertionError("one outcome expected: " + outcomes);
        }
        return outcomes.get(0);
    }

    List<Outcome> applyAll(byte[] entry) throws StorageException {
        index++;
        return machine.apply(new LogPosition(1, index), ByteBuffer.wrap(entry));
    }

    /** Registers servers n1 to n{count}. */
    void servers(int count) throws StorageException {
        for (int i = 1; i <= count; i++) {
            apply(CatalogCommands.registerServers(List.of(server(i))));
        }
    }

    Outcome create(String name, int number, StreamSettings settings) throws StorageException {
        return apply(CatalogCommands.createStream(name, stream(number), group(number), settings, 1_000 + number));
    }

    static ServerEntry server(int number) {
        return new ServerEntry("n" + number, "host" + number, 7420, 7421);
    }

    static StreamId stream(int number) {
        return new StreamId(new UUID(0x5_0000, number));
    }

    static GroupId group(int number) {
        return new GroupId(new UUID(0x6_0000, number));
    }

    static StreamSettings settings(int replicas) {
        return new StreamSettings(replicas, 1_000, new TreeMap<>(Map.of("team", "a")));
    }

    static byte[] payload(CatalogState state) {
        return CatalogCodec.encode(state);
    }
}
