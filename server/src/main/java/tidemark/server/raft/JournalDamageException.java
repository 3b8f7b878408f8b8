package tidemark.server.raft;

import java.io.IOException;
import java.nio.file.Path;

/** A group's journal holds damage that no crash leaves behind: entries that may have been acknowledged are lost from this replica. */
public final class JournalDamageException extends IOException {
    private static final long serialVersionUID = 1L;

    JournalDamageException(Path file, long position, String found) {
        super(
                "damaged journal: " + file + " at byte " + position + ": " + found
                        + ". Nothing was changed. Restore the file, or remove this server's replica and let the others rebuild it");
    }
}
