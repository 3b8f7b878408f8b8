package tidemark.statemachine.catalog;

import com.google.protobuf.InvalidProtocolBufferException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import tidemark.engine.proto.CatalogCommand;
import tidemark.engine.proto.CatalogEntry;
import tidemark.statemachine.env.FileSystem;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.machine.Machine;
import tidemark.statemachine.manifest.ManifestStore;
import tidemark.statemachine.manifest.ManifestStore.Stored;
import tidemark.statemachine.model.LogPosition;
import tidemark.statemachine.model.Outcome;

/**
 * The machine of the catalog's group. All of its state is in memory ({@link CatalogState}), and whole in every checkpoint. Entries are
 * made by {@link CatalogCommands}.
 *
 * <p>An entry that cannot be understood (damage, or a kind of command that only a newer version knows) is a
 * {@link StorageException}, and stops the machine: passing over it would make the replicas differ.
 */
public final class CatalogMachine implements Machine {
    private final ManifestStore manifests;
    private final CatalogState state;
    private final CatalogApplier applier;
    private volatile LogPosition applied;
    private volatile Optional<LogPosition> lastCheckpoint;
    private final AtomicLong bytesSinceCheckpoint = new AtomicLong();
    private volatile boolean failed;
    private volatile boolean closed;

    private CatalogMachine(ManifestStore manifests, CatalogState state, Optional<LogPosition> lastCheckpoint) {
        this.manifests = manifests;
        this.state = state;
        this.applier = new CatalogApplier(state);
        this.lastCheckpoint = lastCheckpoint;
        this.applied = lastCheckpoint.orElse(LogPosition.NONE);
    }

    /** Stands where the newest checkpoint in a directory says; at the beginning if there is none. */
    public static CatalogMachine open(FileSystem files, String manifestDirectory) throws StorageException {
        ManifestStore manifests = new ManifestStore(files, manifestDirectory);
        Optional<Stored> newest = manifests.newest();
        if (newest.isEmpty()) {
            return new CatalogMachine(manifests, new CatalogState(), Optional.empty());
        }
        Stored stored = newest.get();
        CatalogState state = CatalogCodec.decode(stored.path(), stored.payload());
        return new CatalogMachine(manifests, state, Optional.of(stored.position()));
    }

    /** What readers see; stays valid, and goes on changing, while this machine applies. */
    public CatalogState state() {
        return state;
    }

    /** The newest durable manifest, as bytes of its file: what another replica is given. Any thread; reads the disk. */
    public Optional<byte[]> newestManifest() throws StorageException {
        return manifests.newest().map(stored -> ManifestStore.encode(stored.position(), stored.payload()));
    }

    @Override
    public LogPosition applied() {
        return applied;
    }

    @Override
    public List<Outcome> apply(LogPosition at, ByteBuffer entry) throws StorageException {
        checkUsable();
        checkAhead(at);
        long entryBytes = entry.remaining();
        List<CatalogCommand> commands = parse(at, entry);
        List<Outcome> outcomes = new ArrayList<>(commands.size());
        try {
            commands.forEach(command -> outcomes.add(applier.apply(command)));
        } catch (RuntimeException e) {
            // A bug of ours, and maybe half an entry applied: nothing may be built on this state.
            failed = true;
            throw e;
        }
        bytesSinceCheckpoint.addAndGet(entryBytes);
        applied = at;
        return List.copyOf(outcomes);
    }

    /** Reads the whole entry before anything is applied. */
    private List<CatalogCommand> parse(LogPosition at, ByteBuffer entry) throws StorageException {
        String found = "a command of an unknown kind; was it written by a newer version?";
        try {
            List<CatalogCommand> commands =
                    CatalogEntry.parseFrom(entry.duplicate()).getCommandsList();
            if (commands.stream().noneMatch(command -> command.getKindCase() == CatalogCommand.KindCase.KIND_NOT_SET)) {
                return commands;
            }
        } catch (InvalidProtocolBufferException e) {
            found = String.valueOf(e.getMessage());
        }
        failed = true;
        throw new StorageException("cannot apply entry " + at + " of the catalog: " + found);
    }

    @Override
    public void advance(LogPosition at) throws StorageException {
        checkUsable();
        checkAhead(at);
        applied = at;
    }

    @Override
    public long bytesSinceCheckpoint() {
        return bytesSinceCheckpoint.get();
    }

    /** Nothing to do: this machine has no files but its manifests. */
    @Override
    public void sync() throws StorageException {
        checkUsable();
    }

    @Override
    public LogPosition checkpoint() throws StorageException {
        checkUsable();
        LogPosition position = applied;
        if (position.equals(LogPosition.NONE) || lastCheckpoint.equals(Optional.of(position))) {
            return position;
        }
        try {
            manifests.write(position, CatalogCodec.encode(state));
        } catch (StorageException e) {
            failed = true;
            throw e;
        }
        lastCheckpoint = Optional.of(position);
        bytesSinceCheckpoint.set(0);
        return position;
    }

    @Override
    public Optional<LogPosition> lastCheckpoint() {
        return lastCheckpoint;
    }

    @Override
    public void close() {
        closed = true;
    }

    private void checkUsable() throws StorageException {
        if (failed) {
            throw new StorageException("the catalog failed before: it must be opened again from disk");
        }
        if (closed) {
            throw new StorageException("the catalog is closed");
        }
    }

    private void checkAhead(LogPosition at) {
        if (at.compareTo(applied) <= 0) {
            throw new IllegalArgumentException("entry " + at + " is not after the last applied, " + applied);
        }
    }
}
