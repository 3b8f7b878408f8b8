package tidemark.server.storage;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Says when the file system below a directory does not keep what was fsynced. */
public final class MountCheck {
    private static final Path MOUNTS = Path.of("/proc/self/mounts");
    private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs");
    private static final Set<String> WEAK_OPTIONS = Set.of("nobarrier", "barrier=0", "data=writeback");

    private MountCheck() {}

    /** One line for people if what was fsynced in a directory may be lost; empty if all is well, or nothing is known. */
    public static Optional<String> warning(Path directory) {
        try {
            List<String> mounts = Files.readAllLines(MOUNTS, StandardCharsets.ISO_8859_1);
            return warning(mounts, directory.toRealPath());
        } catch (IOException unknown) {
            // No such file on other systems than Linux, and nothing else to ask.
            return Optional.empty();
        }
    }

    /** @param mounts lines of {@code /proc/self/mounts}: device, mount point, type, options */
    static Optional<String> warning(List<String> mounts, Path directory) {
        String @Nullable [] mount = null;
        for (String line : mounts) {
            String[] fields = line.split(" ", -1);
            if (fields.length >= 4
                    && directory.startsWith(Path.of(unescaped(fields[1])))
                    // Of two at the same place the later one hides the other.
                    && (mount == null
                            || unescaped(fields[1]).length()
                                    >= unescaped(mount[1]).length())) {
                mount = fields;
            }
        }
        if (mount == null) {
            return Optional.empty();
        }
        if (IN_MEMORY.contains(mount[2])) {
            return Optional.of("durability: " + directory + " is in memory (" + mount[2]
                    + "): all data is lost when the machine restarts");
        }
        List<String> weak = Arrays.stream(mount[3].split(",", -1))
                .filter(WEAK_OPTIONS::contains)
                .toList();
        if (!weak.isEmpty()) {
            return Optional.of("durability: " + directory + " is mounted with " + String.join(",", weak)
                    + ": acknowledged data may be lost in a power cut");
        }
        return Optional.empty();
    }

    /** Spaces and the like stand as octal numbers: {@code \040}. */
    private static String unescaped(String field) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < field.length(); i++) {
            if (field.charAt(i) == '\\' && i + 3 < field.length()) {
                out.append((char) Integer.parseInt(field.substring(i + 1, i + 4), 8));
                i += 3;
            } else {
                out.append(field.charAt(i));
            }
        }
        return out.toString();
    }
}
