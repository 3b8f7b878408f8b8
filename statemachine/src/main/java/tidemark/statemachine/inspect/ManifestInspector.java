package tidemark.statemachine.inspect;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import tidemark.statemachine.env.FileSystem;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.env.StorageFile;
import tidemark.statemachine.manifest.GroupState;
import tidemark.statemachine.manifest.ManifestStore;
import tidemark.statemachine.manifest.ManifestStore.Stored;

/** Reads manifests of stream groups. */
public final class ManifestInspector {
    private static final Pattern NAME = Pattern.compile("manifest-\\d{19}-\\d{19}");

    private ManifestInspector() {}

    /**
     * Reads a manifest file.
     *
     * @throws StorageException.Corrupt if it is damaged, or the manifest of another kind of group
     * @throws StorageException.UnsupportedVersion if another version of Tidemark wrote it
     */
    public static ManifestReport inspect(FileSystem files, String path) throws StorageException {
        try (StorageFile file = files.openForRead(path)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(file.size(), ManifestStore.FILE_BYTES_MAX + 1L));
            file.read(bytes, 0);
            Stored stored = ManifestStore.decode(path, bytes.array());
            return new ManifestReport(
                    path, stored.position(), bytes.capacity(), GroupState.decode(path, stored.payload()));
        }
    }

    /** Path of the newest manifest in a directory. */
    public static Optional<String> newest(FileSystem files, String directory) throws StorageException {
        List<String> names = files.list(directory).stream()
                .filter(name -> NAME.matcher(name).matches())
                .toList();
        return names.isEmpty() ? Optional.empty() : Optional.of(directory + "/" + names.get(names.size() - 1));
    }
}
