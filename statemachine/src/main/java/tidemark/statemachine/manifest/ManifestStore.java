package tidemark.statemachine.manifest;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import tidemark.statemachine.env.FileSystem;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.env.StorageFile;
import tidemark.statemachine.model.LogPosition;

/**
 * The durable checkpoints of one group's machine: a directory of files {@code manifest-TERM-INDEX}, of which the newest counts and one
 * older is kept. What is in the payload is the machine's business; the bytes around it are drawn at {@link ManifestCodec}.
 *
 * <p>A file gets its name only when it is complete and durable, so a crash leaves the old state or the new one. Hence a file that has
 * its name and is damaged was damaged later: that is an error, and never a reason to take the older one, because what was checkpointed
 * since is already gone from the log.
 *
 * <p>{@link #write} is for one thread at a time; {@link #newest} may run beside it.
 */
public final class ManifestStore {
    /** Most bytes of one payload. */
    public static final int PAYLOAD_BYTES_MAX = 64 << 20;

    /** Most bytes of one file, as {@link #encode} makes it. */
    public static final int FILE_BYTES_MAX = ManifestCodec.PAYLOAD_AT + PAYLOAD_BYTES_MAX;

    private static final int KEPT = 2;
    private static final String TEMPORARY_SUFFIX = ".tmp";
    private static final Pattern NAME = Pattern.compile("manifest-\\d{19}-\\d{19}");
    private static final Pattern TEMPORARY_NAME = Pattern.compile(NAME.pattern() + Pattern.quote(TEMPORARY_SUFFIX));

    private final FileSystem files;
    private final String directory;
    /** Whether this object has seen to it that the directory itself survives a crash. */
    private boolean directoryDurable;

    /**
     * A checkpoint as it was read.
     *
     * @param payload owned by the receiver
     * @param path where it was read
     */
    @SuppressWarnings("ArrayRecordComponent") // Handed on once, never compared; megabytes are not to be copied.
    public record Stored(LogPosition position, byte[] payload, String path) {}

    /** Touches nothing yet; the directory is created by the first {@link #write}. */
    public ManifestStore(FileSystem files, String directory) {
        this.files = files;
        this.directory = directory;
    }

    /**
     * The newest checkpoint, which is durable on return; empty if there is none.
     *
     * @throws StorageException.Corrupt if it is damaged
     * @throws StorageException.UnsupportedVersion if another version of Tidemark wrote it
     */
    public Optional<Stored> newest() throws StorageException {
        List<String> names = names(NAME);
        if (names.isEmpty()) {
            return Optional.empty();
        }
        String name = names.get(names.size() - 1);
        Stored stored = decode(path(name), read(path(name)));
        if (!name(stored.position()).equals(name)) {
            throw new StorageException.Corrupt(
                    path(name),
                    ManifestCodec.TERM_AT,
                    "the position that its name says",
                    stored.position().toString());
        }
        // The process may have died between rename and sync: it is seen now, but a power cut would take it back, when
        // the log has
        // perhaps been purged up to it.
        files.syncDirectory(directory);
        return Optional.of(stored);
    }

    /**
     * Makes a checkpoint durable, then deletes those older than the two newest and what earlier attempts left. One of the same position
     * is replaced.
     *
     * @param position not below the newest one's
     * @param payload at most {@link #PAYLOAD_BYTES_MAX}
     * @throws StorageException if it may not be durable; the checkpoint before it is still there
     */
    public void write(LogPosition position, byte[] payload) throws StorageException {
        byte[] bytes = encode(position, payload);
        String name = name(position);
        if (!directoryDurable) {
            files.createDirectories(directory);
            directoryDurable = true;
        }
        List<String> existing = names(NAME);
        if (!existing.isEmpty() && name.compareTo(existing.get(existing.size() - 1)) < 0) {
            throw new IllegalArgumentException("checkpoint goes back: " + name + " after "
                    + existing.get(existing.size() - 1) + " in " + directory);
        }
        String temporary = path(name + TEMPORARY_SUFFIX);
        try (StorageFile file = files.create(temporary)) {
            file.write(ByteBuffer.wrap(bytes), 0);
            file.sync();
        }
        files.rename(temporary, path(name));
        files.syncDirectory(directory);
        deleteOld();
    }

    private void deleteOld() throws StorageException {
        List<String> names = names(NAME);
        for (String old : names.subList(0, Math.max(0, names.size() - KEPT))) {
            files.delete(path(old));
        }
        for (String left : names(TEMPORARY_NAME)) {
            files.delete(path(left));
        }
    }

    /** The bytes of a manifest file; also what one server sends to another. */
    public static byte[] encode(LogPosition position, byte[] payload) {
        return ManifestCodec.encode(position, payload);
    }

    /**
     * Reads and checks the bytes of a manifest file.
     *
     * @param path where they come from, for messages
     */
    public static Stored decode(String path, byte[] fileBytes) throws StorageException {
        return ManifestCodec.decode(path, fileBytes);
    }

    private byte[] read(String path) throws StorageException {
        try (StorageFile file = files.openForRead(path)) {
            // One byte over the limit is enough to be refused, by the length in the header.
            ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(file.size(), FILE_BYTES_MAX + 1L));
            int length = file.read(bytes, 0);
            if (length != bytes.capacity()) {
                throw new StorageException.Corrupt(path, length, bytes.capacity() + " bytes", "the end of the file");
            }
            return bytes.array();
        }
    }

    private List<String> names(Pattern pattern) throws StorageException {
        return files.list(directory).stream()
                .filter(name -> pattern.matcher(name).matches())
                .toList();
    }

    private static String name(LogPosition position) {
        return String.format("manifest-%019d-%019d", position.term(), position.index());
    }

    private String path(String name) {
        return directory.isEmpty() ? name : directory + "/" + name;
    }
}
