package tidemark.statemachine.env;

import java.io.IOException;

/** The environment failed: an I/O error, or bytes on disk that are not what was written. Says where. */
public class StorageException extends IOException {
    private static final long serialVersionUID = 1L;

    public StorageException(String message) {
        super(message);
    }

    public StorageException(String message, Throwable cause) {
        super(message, cause);
    }

    /** There is no such file or directory. */
    public static final class NotFound extends StorageException {
        private static final long serialVersionUID = 1L;

        public NotFound(String path) {
            super("not found: " + path);
        }
    }

    /** Bytes on disk do not match their checksum or break the format: damage, not a version difference. */
    public static final class Corrupt extends StorageException {
        private static final long serialVersionUID = 1L;

        public Corrupt(String path, long position, String expected, String found) {
            super("corrupt: " + path + " at byte " + position + ": expected " + expected + ", found " + found);
        }
    }

    /** The file was written by a newer (or no longer supported older) version of Tidemark. */
    public static final class UnsupportedVersion extends StorageException {
        private static final long serialVersionUID = 1L;

        public UnsupportedVersion(String path, int found, int oldest, int newest) {
            super((found > newest ? "too new: " : "too old: ") + path + " has format version " + found
                    + "; this version of Tidemark reads " + oldest + " to " + newest);
        }
    }
}
