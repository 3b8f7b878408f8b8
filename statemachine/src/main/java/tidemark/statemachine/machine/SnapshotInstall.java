package tidemark.statemachine.machine;

import java.io.Closeable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tidemark.statemachine.env.FileSystem;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.manifest.GroupState;
import tidemark.statemachine.manifest.GroupState.StreamState;
import tidemark.statemachine.manifest.ManifestStore;
import tidemark.statemachine.manifest.ManifestStore.Stored;
import tidemark.statemachine.model.LogPosition;
import tidemark.statemachine.model.StreamId;
import tidemark.statemachine.segment.Layout;
import tidemark.statemachine.segment.Segment;
import tidemark.statemachine.segment.SegmentFiles;

/**
 * Brings a group's files to another replica's checkpoint. Everything up to {@link #commit} may go on beside the group's open machine;
 * for the commit that must be closed, and is opened again afterwards.
 *
 * <p>Why a crash leaves the old state or the new: the bytes of a segment that begins at some offset are the same sequence on every
 * replica, so a file that holds more of it also holds what an older manifest says of it.
 *
 * <ol>
 *   <li>Receiving writes only below {@link Layout#staging}, which opening the machine deletes.
 *   <li>The commit renames staged files, each whole, verified and durable, into place. Whether a name survives a crash or not, it
 *       stands for the file of before, or for one that holds all that the old manifest says and more, to which it is then cut; or it is
 *       a name that the old manifest does not know, which is then garbage. So this is still the old state.
 *   <li>The directories are synced: all that the new manifest names is durable.
 *   <li>The manifest is written, which is atomic. From here on it is the new state.
 * </ol>
 *
 * <p>Segments that this replica's own manifest names with the full length are used as they are; of others the part that it names is
 * copied, not fetched.
 */
public final class SnapshotInstall {
    private final SegmentFiles segments;
    private final Layout layout;
    private final ManifestStore manifests;
    private final Stored manifest;
    private final GroupState state;
    private final Map<MissingSegment, SegmentReceiver> receivers = new LinkedHashMap<>();

    private SnapshotInstall(
            SegmentFiles segments, Layout layout, ManifestStore manifests, Stored manifest, GroupState state) {
        this.segments = segments;
        this.layout = layout;
        this.manifests = manifests;
        this.manifest = manifest;
        this.state = state;
    }

    /** The manifest is older than this replica's own. */
    public static final class Stale extends StorageException {
        private static final long serialVersionUID = 1L;

        Stale(String message) {
            super(message);
        }
    }

    /** Bytes of a segment file that are to be fetched: from inclusive, to exclusive. Not empty. */
    public record MissingSegment(StreamId stream, long baseOffset, long fromByte, long toByte) {}

    /** Takes one segment. One thread. Closing it before it is complete keeps what was received, for another attempt. */
    public interface Receiver extends Closeable {
        /**
         * Takes the next bytes.
         *
         * @throws IllegalArgumentException if they are more than the segment has
         */
        void accept(ByteBuffer chunk) throws StorageException;

        /**
         * Verifies the whole segment and makes it durable.
         *
         * @throws StorageException.Corrupt if it is not what the manifest says; what was received is thrown away, and another attempt
         *     begins anew
         * @throws IllegalStateException if bytes are missing
         */
        void complete() throws StorageException;

        @Override
        void close() throws StorageException;
    }

    /**
     * Compares another replica's manifest with what is on disk, and prepares to receive the rest. What an earlier attempt fetched is
     * used. One at a time for a group.
     *
     * @param manifest bytes of the manifest file
     * @throws Stale if this replica's own durable manifest is newer
     * @throws StorageException.Corrupt if the manifest is damaged
     */
    public static SnapshotInstall begin(FileSystem manifestFiles, SegmentFiles segments, Layout layout, byte[] manifest)
            throws StorageException {
        Stored stored = ManifestStore.decode("manifest of another replica", manifest);
        GroupState state = GroupState.decode(stored.path(), stored.payload());
        ManifestStore manifests = new ManifestStore(manifestFiles, layout.manifests());
        SnapshotInstall install = new SnapshotInstall(segments, layout, manifests, stored, state);
        GroupState own = install.ownState();
        for (StreamState stream : state.streams()) {
            install.compare(stream, own.stream(stream.id()));
        }
        return install;
    }

    private GroupState ownState() throws StorageException {
        Optional<Stored> own = manifests.newest();
        if (own.isEmpty()) {
            return GroupState.EMPTY;
        }
        if (own.get().position().compareTo(manifest.position()) > 0) {
            throw new Stale("the other replica's checkpoint at " + manifest.position() + " is older than the own at "
                    + own.get().position());
        }
        return GroupState.decode(own.get().path(), own.get().payload());
    }

    private void compare(StreamState theirs, Optional<StreamState> own) throws StorageException {
        for (Segment segment : theirs.segments()) {
            Optional<Segment> held = own.flatMap(stream -> stream.segment(segment.baseOffset()));
            if (held.isPresent() && isLost(theirs.id(), held.get())) {
                held = Optional.empty();
            }
            if (held.isEmpty() || held.get().length() < segment.length()) {
                SegmentReceiver receiver = SegmentReceiver.begin(segments, layout, theirs.id(), segment, held);
                receivers.put(
                        new MissingSegment(
                                theirs.id(), segment.baseOffset(), receiver.receivedBytes(), segment.length()),
                        receiver);
            }
        }
    }

    private boolean isLost(StreamId stream, Segment held) throws StorageException {
        String path = layout.segment(stream, held.baseOffset());
        return !segments.fileSystem().exists(path) || segments.fileSystem().size(path) < held.length();
    }

    /** Where the machine will stand after the commit. */
    public LogPosition position() {
        return manifest.position();
    }

    /** What must be received before the commit. */
    public List<MissingSegment> missing() {
        return receivers.entrySet().stream()
                .filter(entry -> !entry.getValue().isComplete())
                .map(Map.Entry::getKey)
                .toList();
    }

    /**
     * Takes one of the missing segments. Different ones may be received by different threads, one by one thread.
     *
     * @throws IllegalArgumentException if it is not missing
     */
    public Receiver receive(MissingSegment segment) {
        SegmentReceiver receiver = receivers.get(segment);
        if (receiver == null || receiver.isComplete()) {
            throw new IllegalArgumentException("not missing: " + segment);
        }
        return receiver;
    }

    /**
     * Makes the checkpoint this replica's newest durable one. The group's machine is closed.
     *
     * @throws IllegalStateException if something is still missing
     * @throws Stale if this replica's own durable manifest has become newer; nothing was changed
     */
    public LogPosition commit() throws StorageException {
        List<MissingSegment> missing = missing();
        if (!missing.isEmpty()) {
            throw new IllegalStateException("not received yet: " + missing);
        }
        ownState(); // for its check
        Collection<SegmentReceiver> received = receivers.values();
        List<StreamId> changed = new ArrayList<>();
        for (StreamState stream : state.streams()) {
            if (received.stream().anyMatch(receiver -> receiver.stream().equals(stream.id()))) {
                changed.add(stream.id());
                segments.fileSystem().createDirectories(layout.stream(stream.id()));
            }
        }
        for (SegmentReceiver receiver : received) {
            receiver.moveIntoPlace();
        }
        for (StreamId stream : changed) {
            segments.fileSystem().syncDirectory(layout.stream(stream));
        }
        requireAllPresent();
        manifests.write(manifest.position(), manifest.payload());
        discard();
        return manifest.position();
    }

    /** A last look: a manifest that could not be opened must never be written. */
    private void requireAllPresent() throws StorageException {
        for (StreamState stream : state.streams()) {
            for (Segment segment : stream.segments()) {
                String path = layout.segment(stream.id(), segment.baseOffset());
                long size = segments.fileSystem().size(path);
                if (size < segment.length()) {
                    throw new StorageException.Corrupt(
                            path, size, "a file of at least " + segment.length() + " bytes", "its end");
                }
            }
        }
    }

    /** Gives up what was fetched. */
    public void discard() throws StorageException {
        for (SegmentReceiver receiver : receivers.values()) {
            receiver.close();
        }
        segments.fileSystem().deleteRecursively(layout.staging());
    }
}
