package tidemark.statemachine.machine;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnsafeByteOperations;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import tidemark.engine.proto.Command;
import tidemark.engine.proto.Entry;
import tidemark.statemachine.env.FileSystem;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.env.StorageFile;
import tidemark.statemachine.manifest.GroupState;
import tidemark.statemachine.manifest.GroupState.StreamState;
import tidemark.statemachine.manifest.ManifestStore;
import tidemark.statemachine.manifest.ManifestStore.Stored;
import tidemark.statemachine.model.LogPosition;
import tidemark.statemachine.model.Outcome;
import tidemark.statemachine.model.StreamId;
import tidemark.statemachine.read.ReadCursor;
import tidemark.statemachine.read.StreamSnapshot;
import tidemark.statemachine.segment.EngineLimits;
import tidemark.statemachine.segment.Layout;
import tidemark.statemachine.segment.SegmentFiles;
import tidemark.statemachine.segment.SegmentWriter;
import tidemark.statemachine.segment.StreamFiles;

/**
 * The machine of a group of streams. Entries are {@code tidemark.engine.Entry} messages.
 *
 * <p>State and files: an entry appends to segment files, and makes nothing durable. A checkpoint makes the files durable, then the
 * manifest that names them with their lengths, and only then deletes files that no manifest names any more. So the files hold at least
 * what the newest manifest says, whenever a crash comes; opening cuts them to exactly that.
 *
 * <p>An entry that cannot be understood (damage, or a command that only a newer version knows) is a {@link StorageException} and stops
 * the machine: passing over it would make the replicas differ. So does any failure of the disk. Reading goes on.
 *
 * <p>Threads: see {@link Machine}. Readers see the state through immutable snapshots, published after each entry.
 */
public final class GroupMachine implements Machine {
    private final SegmentFiles segments;
    private final Layout layout;
    private final ManifestStore manifests;
    private final ConcurrentSkipListMap<StreamId, LiveStream> streams = new ConcurrentSkipListMap<>();
    private final SegmentWriter writer;
    private final Garbage garbage;
    private final EntryApplier applier;
    /** Held by whoever syncs, checkpoints or closes. */
    private final ReentrantLock syncing = new ReentrantLock();

    private final AtomicLong bytesSinceCheckpoint = new AtomicLong();
    private volatile LogPosition applied = LogPosition.NONE;
    private volatile Optional<LogPosition> lastCheckpoint = Optional.empty();
    private volatile @Nullable Throwable failure;
    private volatile boolean closed;

    private GroupMachine(FileSystem manifestFiles, SegmentFiles segments, Layout layout) {
        this.segments = segments;
        this.layout = layout;
        this.manifests = new ManifestStore(manifestFiles, layout.manifests());
        this.writer = new SegmentWriter(segments, layout);
        this.garbage = new Garbage(segments, layout);
        this.applier = new EntryApplier(segments, layout, writer, garbage, streams);
    }

    /**
     * Stands where the group's newest manifest says; at the beginning if there is none. Reads no segment: takes as long as there are
     * streams and segments, not bytes.
     *
     * @param manifestFiles where the manifests are
     * @param segments shared by all groups of the server
     * @throws StorageException.Corrupt if files are missing or shorter than the manifest says
     */
    public static GroupMachine open(FileSystem manifestFiles, SegmentFiles segments, Layout layout)
            throws StorageException {
        GroupMachine machine = new GroupMachine(manifestFiles, segments, layout);
        machine.recover();
        return machine;
    }

    /** As {@link #open(FileSystem, SegmentFiles, Layout)}, with file handles of its own: for tools and tests with one group. */
    public static GroupMachine open(FileSystem files, Layout layout, EngineLimits limits) throws StorageException {
        return open(files, new SegmentFiles(files, limits), layout);
    }

    private void recover() throws StorageException {
        segments.forgetBelow(layout.streams());
        Optional<Stored> newest = manifests.newest();
        GroupState state = GroupState.EMPTY;
        if (newest.isPresent()) {
            state = GroupState.decode(newest.get().path(), newest.get().payload());
        }
        new Recovery(segments.fileSystem(), layout, garbage).run(state);
        for (StreamState stream : state.streams()) {
            streams.put(stream.id(), LiveStream.of(new StreamFiles(segments, layout, stream.id()), stream));
        }
        lastCheckpoint = newest.map(Stored::position);
        applied = lastCheckpoint.orElse(LogPosition.NONE);
    }

    /** A stream's readable state now; empty if the group does not host it, or the machine is closed. Any thread. */
    public Optional<StreamView> stream(StreamId id) {
        return snapshot(id).map(snapshot -> new SnapshotView(snapshot, () -> snapshot(id)));
    }

    private Optional<StreamSnapshot> snapshot(StreamId id) {
        LiveStream stream = closed ? null : streams.get(id);
        return stream == null ? Optional.empty() : stream.published();
    }

    /** The streams hosted now. Any thread. */
    public SortedSet<StreamId> streams() {
        SortedSet<StreamId> ids = new TreeSet<>();
        streams.forEach((id, stream) -> stream.published().ifPresent(published -> ids.add(id)));
        return ids;
    }

    /** A reader, placed at an offset. Any thread may ask; of a stream that is not hosted it says so as {@code Unavailable}. */
    public ReadCursor cursor(StreamId id, long offset) {
        return new ReadCursor(() -> snapshot(id), offset);
    }

    /** The newest durable manifest, as bytes of its file: what another replica is given. Any thread; reads the disk. */
    public Optional<byte[]> newestManifest() throws StorageException {
        return manifests.newest().map(stored -> ManifestStore.encode(stored.position(), stored.payload()));
    }

    /**
     * A segment file, open for reading, to be closed by the caller: it stays readable when it is deleted meanwhile. Empty if it is gone
     * already: then a newer manifest does not name it. Any thread.
     */
    public Optional<StorageFile> openSegment(StreamId stream, long baseOffset) throws StorageException {
        try {
            return Optional.of(segments.fileSystem().openForRead(layout.segment(stream, baseOffset)));
        } catch (StorageException.NotFound gone) {
            return Optional.empty();
        }
    }

    @Override
    public LogPosition applied() {
        return applied;
    }

    @Override
    public List<Outcome> apply(LogPosition at, ByteBuffer entry) throws StorageException {
        requireUsable();
        requireAhead(at);
        List<Outcome> outcomes = new ArrayList<>();
        long entryBytes = entry.remaining();
        orFail(() -> {
            applyCommands(at, parse(entry), outcomes);
            bytesSinceCheckpoint.addAndGet(entryBytes);
            applied = at;
        });
        if (writer.dirtyFiles() > segments.limits().dirtyFiles()) {
            sync();
        }
        return List.copyOf(outcomes);
    }

    /** Reads the whole entry before anything is applied. Bodies are parts of the entry's bytes. */
    private static Entry parse(ByteBuffer entry) throws StorageException {
        try {
            CodedInputStream input = UnsafeByteOperations.unsafeWrap(entry).newCodedInput();
            input.enableAliasing(true);
            return Entry.parseFrom(input);
        } catch (InvalidProtocolBufferException e) {
            throw new StorageException("an entry that is not one: " + e.getMessage(), e);
        } catch (IOException e) {
            throw new IllegalStateException("reading from memory failed", e);
        }
    }

    private void applyCommands(LogPosition at, Entry entry, List<Outcome> outcomes) throws StorageException {
        for (Command command : entry.getCommandsList()) {
            outcomes.add(applier.apply(at, entry.getTimestampMs(), command));
        }
        writer.flush();
        applier.publish();
    }

    @Override
    public void advance(LogPosition at) throws StorageException {
        requireUsable();
        requireAhead(at);
        applied = at;
    }

    @Override
    public long bytesSinceCheckpoint() {
        return bytesSinceCheckpoint.get();
    }

    @Override
    public long reclaimableBytes() {
        return garbage.bytes();
    }

    /** Beside applying; also writes the index files of segments that were closed. */
    @Override
    public void sync() throws StorageException {
        exclusively(() -> {
            writer.sync();
            writer.writeIndexes();
        });
    }

    @Override
    public LogPosition checkpoint() throws StorageException {
        requireUsable();
        LogPosition position = applied;
        if (!position.equals(LogPosition.NONE)) {
            exclusively(() -> checkpoint(position));
        }
        return position;
    }

    private interface Step {
        void run() throws StorageException;
    }

    /** Runs a step that must not run beside itself or the like. After a failure of it the machine is not usable. */
    private void exclusively(Step step) throws StorageException {
        syncing.lock();
        try {
            requireUsable();
            orFail(step);
        } finally {
            syncing.unlock();
        }
    }

    private void orFail(Step step) throws StorageException {
        try {
            step.run();
        } catch (StorageException | RuntimeException e) {
            failure = e;
            throw e;
        }
    }

    /** The order is what makes it right: files, then the manifest that names them, then what it does not name. */
    private void checkpoint(LogPosition position) throws StorageException {
        if (!lastCheckpoint.equals(Optional.of(position))) {
            writer.sync();
            manifests.write(position, state().encode());
            lastCheckpoint = Optional.of(position);
            bytesSinceCheckpoint.set(0);
        }
        garbage.delete((stream, baseOffset) -> {
            LiveStream live = streams.get(stream);
            return live != null && live.hasSegment(baseOffset);
        });
    }

    private GroupState state() {
        return new GroupState(streams.values().stream().map(LiveStream::state).toList());
    }

    @Override
    public Optional<LogPosition> lastCheckpoint() {
        return lastCheckpoint;
    }

    /** Makes nothing durable. Readers find the machine unavailable from now on. */
    @Override
    public void close() throws StorageException {
        syncing.lock();
        try {
            if (!closed) {
                closed = true;
                writer.close();
                segments.forgetBelow(layout.streams());
            }
        } finally {
            syncing.unlock();
        }
    }

    private void requireUsable() throws StorageException {
        if (closed) {
            throw new StorageException("the machine of " + layout.streams() + " is closed");
        }
        Throwable before = failure;
        if (before != null) {
            throw new StorageException(
                    "the machine of " + layout.streams() + " failed before and must be opened again from disk: "
                            + before.getMessage(),
                    before);
        }
    }

    private void requireAhead(LogPosition at) {
        if (at.compareTo(applied) <= 0) {
            throw new IllegalArgumentException("entry " + at + " is not after the last applied, " + applied);
        }
    }
}
