package tidemark.statemachine.env;

import java.util.List;

/** What a path of a {@link FileSystem} may look like. A path that breaks the rules is a bug of ours, hence unchecked. */
final class StoragePath {
    private StoragePath() {}

    /**
     * The parts of a path to a file, or to a directory below the root.
     *
     * @throws IllegalArgumentException if it is the root, or would leave it
     */
    static List<String> parts(String path) {
        if (path.isEmpty()) {
            throw new IllegalArgumentException("the root of the file system cannot be used here");
        }
        return partsOrRoot(path);
    }

    /** As {@link #parts}, but the empty path is the root, and has no parts. */
    static List<String> partsOrRoot(String path) {
        if (path.isEmpty()) {
            return List.of();
        }
        List<String> parts = List.of(path.split("/", -1));
        for (String part : parts) {
            if (part.isEmpty() || part.equals(".") || part.equals("..") || part.indexOf('\0') >= 0) {
                throw new IllegalArgumentException("path leaves the root or is malformed: \"" + path + "\"");
            }
        }
        return parts;
    }
}
