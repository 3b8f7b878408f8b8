package tidemark.server.storage;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.jspecify.annotations.Nullable;

/** Says I/O errors in words: some exceptions have nothing but a path as their message. */
final class Reasons {
    private Reasons() {}

    static String of(IOException failure) {
        if (failure instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (failure instanceof NoSuchFileException) {
            return "no such file or directory";
        }
        if (failure instanceof FileAlreadyExistsException) {
            return "it is a file, not a directory";
        }
        if (failure instanceof FileSystemException named) {
            @Nullable String reason = named.getReason();
            return reason == null ? String.valueOf(named.getMessage()) : reason;
        }
        return failure.getMessage() == null ? failure.toString() : failure.getMessage();
    }
}
