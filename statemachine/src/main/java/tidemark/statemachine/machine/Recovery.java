package tidemark.statemachine.machine;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import tidemark.statemachine.env.FileSystem;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.env.StorageFile;
import tidemark.statemachine.manifest.GroupState;
import tidemark.statemachine.manifest.GroupState.StreamState;
import tidemark.statemachine.model.StreamId;
import tidemark.statemachine.segment.Layout;
import tidemark.statemachine.segment.Segment;

/**
 * Brings the files of a group to what its manifest says, when it is opened. Looks at names and lengths only, never into a file.
 *
 * <pre>
 *   what is found                        what it comes from                          what is done
 *   ------------------------------------ ------------------------------------------- --------------------------------
 *   a named file is longer               appends after the checkpoint                it is cut
 *   a segment or index is not named      appends after the checkpoint, or truncated  deleted after the next checkpoint:
 *                                        before it                                   by then the log has made it anew
 *   a named file is missing or shorter   damage                                      refused as corrupt
 *   the place for fetched segments       an install that was not committed           deleted
 *   any other name                       not from us                                 left alone
 * </pre>
 */
final class Recovery {
    private final FileSystem files;
    private final Layout layout;
    private final Garbage garbage;

    Recovery(FileSystem files, Layout layout, Garbage garbage) {
        this.files = files;
        this.layout = layout;
        this.garbage = garbage;
    }

    void run(GroupState state) throws StorageException {
        files.deleteRecursively(layout.staging());
        for (StreamState stream : state.streams()) {
            recover(stream);
        }
        for (String name : files.list(layout.streams())) {
            Optional<StreamId> id = Layout.parseStream(name);
            if (id.isPresent() && state.stream(id.get()).isEmpty()) {
                collect(id.get(), files.list(layout.stream(id.get())), Set.of());
            }
        }
    }

    private void recover(StreamState stream) throws StorageException {
        List<String> names = files.list(layout.stream(stream.id()));
        Set<String> present = new HashSet<>(names);
        Set<Long> named = new HashSet<>();
        for (Segment segment : stream.segments()) {
            String path = layout.segment(stream.id(), segment.baseOffset());
            if (!present.contains(path.substring(path.lastIndexOf('/') + 1))) {
                throw new StorageException.Corrupt(
                        path, 0, "a file of at least " + segment.length() + " bytes", "none");
            }
            cut(path, segment.length());
            named.add(segment.baseOffset());
        }
        collect(stream.id(), names, named);
    }

    private void cut(String path, long length) throws StorageException {
        long size = files.size(path);
        if (size < length) {
            throw new StorageException.Corrupt(path, size, "a file of at least " + length + " bytes", "its end");
        }
        if (size > length) {
            // Need not be durable: after a crash it is found, and cut, again.
            try (StorageFile file = files.openForWrite(path)) {
                file.truncate(length);
            }
        }
    }

    private void collect(StreamId stream, List<String> names, Set<Long> named) throws StorageException {
        for (String name : names) {
            OptionalLong segment = Layout.parseSegment(name);
            OptionalLong base = segment.isPresent() ? segment : Layout.parseIndex(name);
            if (base.isPresent() && !named.contains(base.getAsLong())) {
                long bytes = segment.isPresent() ? files.size(layout.segment(stream, base.getAsLong())) : 0;
                garbage.add(stream, base.getAsLong(), bytes);
            }
        }
    }
}
