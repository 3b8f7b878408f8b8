package tidemark.server;

import tidemark.server.raft.SnapshotInstaller;
import tidemark.statemachine.env.FileSystem;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.manifest.ManifestStore;
import tidemark.statemachine.manifest.ManifestStore.Stored;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.LogPosition;

/** Brings the catalog to another replica's checkpoint: the manifest has it all. */
final class CatalogInstaller implements SnapshotInstaller {
    private final FileSystem files;
    private final GroupId group;
    private final String manifestDirectory;

    CatalogInstaller(FileSystem files, GroupId group, String manifestDirectory) {
        this.files = files;
        this.group = group;
        this.manifestDirectory = manifestDirectory;
    }

    @Override
    public Prepared prepare(byte[] manifest, Source source) throws StorageException {
        Stored fetched = ManifestStore.decode("the fetched manifest of group " + group, manifest);
        return new Prepared() {
            @Override
            public LogPosition position() {
                return fetched.position();
            }

            @Override
            public void commit() throws StorageException {
                new ManifestStore(files, manifestDirectory).write(fetched.position(), fetched.payload());
            }

            @Override
            public void discard() {
                // It is only in memory.
            }
        };
    }
}
