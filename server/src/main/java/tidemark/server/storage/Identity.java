package tidemark.server.storage;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tidemark.statemachine.env.Crc32c;
import tidemark.statemachine.env.StorageException;

/**
 * What the file {@code identity} of a directory says: ASCII lines {@code key=value} in this order, the last one a checksum of the bytes
 * before it.
 *
 * <pre>
 * tidemark-identity=1
 * cluster-name=tidemark
 * cluster-id=8a3c…
 * server-id=n1
 * directory-id=4f02…
 * holds=journal,store
 * crc32c=89abcdef
 * </pre>
 *
 * @param directoryId random, made with the directory; the directories of one server share it
 * @param holds which parts of the server's data are in this directory
 */
record Identity(Owner owner, UUID directoryId, Set<Part> holds) {
    static final int VERSION = 1;

    /** Most bytes of the file. */
    static final int BYTES_MAX = 4096;

    private static final String VERSION_KEY = "tidemark-identity";
    private static final List<String> KEYS =
            List.of(VERSION_KEY, "cluster-name", "cluster-id", "server-id", "directory-id", "holds", "crc32c");

    /** Parts of a server's data that can be on disks of their own. */
    enum Part {
        JOURNAL("journal"),
        STORE("store");

        private final String word;

        Part(String word) {
            this.word = word;
        }

        String word() {
            return word;
        }
    }

    byte[] encode() {
        String body = VERSION_KEY + "=" + VERSION + "\n"
                + "cluster-name=" + owner.clusterName() + "\n"
                + "cluster-id=" + owner.clusterId() + "\n"
                + "server-id=" + owner.serverId() + "\n"
                + "directory-id=" + directoryId + "\n"
                + "holds=" + words(holds) + "\n";
        return (body + "crc32c=" + checksum(body) + "\n").getBytes(US_ASCII);
    }

    /**
     * @param path for messages
     * @throws StorageException.UnsupportedVersion if a newer version of Tidemark wrote it
     * @throws StorageException.Corrupt if it is damaged
     */
    static Identity decode(String path, byte[] bytes) throws StorageException {
        String text = new String(bytes, US_ASCII);
        checkVersion(path, text);
        int last = text.lastIndexOf("crc32c=");
        if (last < 0) {
            throw new StorageException.Corrupt(path, bytes.length, "a checksum", "the end of the file");
        }
        String body = text.substring(0, last);
        if (!text.substring(last).equals("crc32c=" + checksum(body) + "\n")) {
            throw new StorageException.Corrupt(
                    path,
                    last,
                    "checksum " + checksum(body),
                    text.substring(last).strip());
        }
        Map<String, String> values = new LinkedHashMap<>();
        for (String line : text.split("\n", -1)) {
            int equals = line.indexOf('=');
            if (equals > 0) {
                values.put(line.substring(0, equals), line.substring(equals + 1));
            }
        }
        if (!List.copyOf(values.keySet()).equals(KEYS)) {
            throw new StorageException.Corrupt(
                    path, 0, "the keys " + KEYS, values.keySet().toString());
        }
        return new Identity(
                new Owner(value(values, "cluster-name"), id(path, values, "cluster-id"), value(values, "server-id")),
                id(path, values, "directory-id"),
                parts(path, value(values, "holds")));
    }

    /** First, because a newer version may have changed everything but this. */
    private static void checkVersion(String path, String text) throws StorageException {
        String first = text.lines().findFirst().orElse("");
        if (!first.matches(VERSION_KEY + "=\\d{1,9}")) {
            throw new StorageException.Corrupt(path, 0, VERSION_KEY + "=" + VERSION, "something else");
        }
        int version = Integer.parseInt(first.substring(VERSION_KEY.length() + 1));
        if (version != VERSION) {
            throw new StorageException.UnsupportedVersion(path, version, VERSION, VERSION);
        }
    }

    private static String value(Map<String, String> values, String key) {
        @Nullable String value = values.get(key);
        if (value == null) {
            throw new IllegalStateException("keys were checked: " + key);
        }
        return value;
    }

    private static UUID id(String path, Map<String, String> values, String key) throws StorageException {
        try {
            return UUID.fromString(value(values, key));
        } catch (IllegalArgumentException e) {
            throw new StorageException.Corrupt(path, 0, key + " to be a UUID", value(values, key));
        }
    }

    private static Set<Part> parts(String path, String words) throws StorageException {
        Set<Part> parts = EnumSet.noneOf(Part.class);
        for (String word : words.isEmpty() ? new String[0] : words.split(",", -1)) {
            parts.add(Arrays.stream(Part.values())
                    .filter(part -> part.word.equals(word))
                    .findFirst()
                    .orElseThrow(() -> new StorageException.Corrupt(path, 0, "known parts", words)));
        }
        return parts;
    }

    static String words(Set<Part> parts) {
        return new TreeSet<>(parts).stream().map(Part::word).collect(Collectors.joining(","));
    }

    private static String checksum(String body) {
        return Crc32c.toText(Crc32c.of(ByteBuffer.wrap(body.getBytes(US_ASCII))));
    }
}
