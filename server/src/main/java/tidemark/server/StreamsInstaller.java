package tidemark.server;

import java.io.IOException;
import tidemark.server.raft.SnapshotInstaller;
import tidemark.statemachine.env.FileSystem;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.machine.SnapshotInstall;
import tidemark.statemachine.machine.SnapshotInstall.MissingSegment;
import tidemark.statemachine.machine.SnapshotInstall.Receiver;
import tidemark.statemachine.model.LogPosition;
import tidemark.statemachine.segment.Layout;
import tidemark.statemachine.segment.SegmentFiles;

/** Brings a group of streams to another replica's checkpoint: fetches the segments that it lacks, one after the other. */
final class StreamsInstaller implements SnapshotInstaller {
    private final FileSystem files;
    private final SegmentFiles segments;
    private final Layout layout;

    StreamsInstaller(FileSystem files, SegmentFiles segments, Layout layout) {
        this.files = files;
        this.segments = segments;
        this.layout = layout;
    }

    @Override
    public Prepared prepare(byte[] manifest, Source source) throws IOException {
        SnapshotInstall install = SnapshotInstall.begin(files, segments, layout, manifest);
        for (MissingSegment missing : install.missing()) {
            try (Receiver receiver = install.receive(missing)) {
                source.segment(
                        missing.stream(), missing.baseOffset(), missing.fromByte(), missing.toByte(), receiver::accept);
                receiver.complete();
            }
        }
        return new Prepared() {
            @Override
            public LogPosition position() {
                return install.position();
            }

            @Override
            public void commit() throws StorageException {
                install.commit();
            }

            @Override
            public void discard() throws StorageException {
                install.discard();
            }
        };
    }
}
