package tidemark.statemachine.segment;

import java.io.Closeable;
import tidemark.statemachine.env.FileSystem;

/** The segment files of all groups of a server: open handles and indexes, both bounded. One for each server; safe for many threads. */
public final class SegmentFiles implements Closeable {
    public SegmentFiles(FileSystem files, EngineLimits limits) {}

    @Override
    public void close() {}
}
