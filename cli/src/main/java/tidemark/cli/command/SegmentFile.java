package tidemark.cli.command;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import tidemark.statemachine.env.RealFileSystem;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.inspect.Finding;
import tidemark.statemachine.inspect.FrameInfo;
import tidemark.statemachine.inspect.SegmentInspector;
import tidemark.statemachine.inspect.SegmentReport;

/**
 * A segment file somewhere on this machine, looked at by itself and never opened for writing.
 *
 * @param path as typed or found
 * @param files the directory it lies in
 * @param name its name in there
 */
record SegmentFile(Path path, RealFileSystem files, String name) {

    /** Takes a frame of a file. */
    interface Visitor {
        void frame(FrameInfo frame) throws IOException;
    }

    static SegmentFile of(Path path) throws StorageException {
        Path absolute = path.toAbsolutePath().normalize();
        Path directory = absolute.getParent();
        if (directory == null) {
            throw new StorageException("cannot open " + path + ": it is a directory");
        }
        return new SegmentFile(
                path, new RealFileSystem(directory), absolute.getFileName().toString());
    }

    static Path path(String typed) {
        try {
            return Path.of(typed);
        } catch (InvalidPathException e) {
            throw new UsageException("'" + typed + "' is not a file name");
        }
    }

    SegmentReport inspect(Visitor visitor) throws IOException {
        try {
            return SegmentInspector.inspect(files, name, OptionalLong.empty(), frame -> {
                try {
                    visitor.frame(frame);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** What is wrong with the file for sure. */
    static List<Finding> damage(List<Finding> findings) {
        List<Finding> damage = new ArrayList<>();
        for (Finding finding : findings) {
            switch (finding.kind()) {
                case DAMAGE, UNSUPPORTED_VERSION -> damage.add(finding);
                case TORN_TAIL, NOTE -> {}
            }
        }
        return damage;
    }

    /** Where the file stops being readable; -1 if it does not. Usual in the last file of a stream. */
    static long tornAt(List<Finding> findings) {
        for (Finding finding : findings) {
            if (finding.kind() == Finding.Kind.TORN_TAIL) {
                return finding.position();
            }
        }
        return -1;
    }

    /** What a torn tail may be, in the words of one line. */
    static String tornTail(SegmentReport report, long at) {
        return (report.bytes() - at) + " bytes from byte " + at
                + " on are no whole frame: being written, left by a crash, or damaged; to know which, verify the data directory";
    }
}
