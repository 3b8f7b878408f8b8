package tidemark.server;

import tidemark.server.raft.MachineFactory;
import tidemark.server.raft.SnapshotInstaller;
import tidemark.statemachine.catalog.CatalogMachine;
import tidemark.statemachine.env.FileSystem;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.machine.GroupMachine;
import tidemark.statemachine.machine.Machine;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.segment.EngineLimits;
import tidemark.statemachine.segment.Layout;
import tidemark.statemachine.segment.SegmentFiles;

/** The machines of this server's groups, on one file system: the catalog's, and those of streams. */
final class Machines implements MachineFactory, AutoCloseable {
    private final FileSystem files;
    private final GroupId catalog;
    private final SegmentFiles segments;

    Machines(FileSystem files, GroupId catalog, EngineLimits limits) {
        this.files = files;
        this.catalog = catalog;
        this.segments = new SegmentFiles(files, limits);
    }

    @Override
    public Machine open(GroupId group) throws StorageException {
        Layout layout = Layout.of(group);
        return group.equals(catalog)
                ? CatalogMachine.open(files, layout.manifests())
                : GroupMachine.open(files, segments, layout);
    }

    @Override
    public void delete(GroupId group) throws StorageException {
        Layout layout = Layout.of(group);
        // First what says that the rest is there.
        files.deleteRecursively(layout.manifests());
        files.deleteRecursively(layout.streams());
    }

    @Override
    public SnapshotInstaller installer(GroupId group) {
        Layout layout = Layout.of(group);
        return group.equals(catalog)
                ? new CatalogInstaller(files, group, layout.manifests())
                : new StreamsInstaller(files, segments, layout);
    }

    /** All machines are closed. */
    @Override
    public void close() {
        segments.close();
    }
}
