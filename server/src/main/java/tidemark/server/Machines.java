package tidemark.server;

import tidemark.server.raft.MachineFactory;
import tidemark.server.raft.SnapshotInstaller;
import tidemark.statemachine.catalog.CatalogMachine;
import tidemark.statemachine.env.FileSystem;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.machine.Machine;
import tidemark.statemachine.model.GroupId;

/** The machines of this server's groups, on one file system. */
final class Machines implements MachineFactory {
    private static final String MANIFESTS = "manifests/";
    private static final String STREAMS = "streams/";

    private final FileSystem files;
    private final GroupId catalog;
    private final long segmentBytes;

    Machines(FileSystem files, GroupId catalog, long segmentBytes) {
        this.files = files;
        this.catalog = catalog;
        this.segmentBytes = segmentBytes;
    }

    @Override
    public Machine open(GroupId group) throws StorageException {
        if (group.equals(catalog)) {
            return CatalogMachine.open(files, MANIFESTS + group);
        }
        throw new StorageException("engine" + segmentBytes);
    }

    @Override
    public void delete(GroupId group) throws StorageException {
        // First what says that the rest is there.
        files.deleteRecursively(MANIFESTS + group);
        files.deleteRecursively(STREAMS + group);
    }

    @Override
    public SnapshotInstaller installer(GroupId group) {
        if (group.equals(catalog)) {
            return new CatalogInstaller(files, group, MANIFESTS + group);
        }
        throw new IllegalStateException("engine");
    }
}
