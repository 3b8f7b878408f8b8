package tidemark.statemachine.env;

import java.util.List;

/**
 * The door to the disk: everything the engine stores goes through here. Paths are relative to the root that an implementation was
 * given, with parts divided by {@code /}; the empty path is the root. A path that would leave the root, or with an empty part, is an
 * {@link IllegalArgumentException}: it is made by our code, so it is a bug.
 *
 * <p>What does not exist is a {@link StorageException.NotFound}, unless a method says otherwise.
 *
 * <p>Durability, as POSIX has it: bytes are durable after {@link StorageFile#sync()}; the existence and the name of a file are
 * durable after {@link #syncDirectory} of its directory.
 *
 * <p>Safe for use by many threads.
 */
public interface FileSystem {
    /** Opens an existing file for reading. */
    StorageFile openForRead(String path) throws StorageException;

    /** Opens an existing file for reading and writing. */
    StorageFile openForWrite(String path) throws StorageException;

    /** Creates a file, or empties an existing one, for reading and writing. Its directory must exist. */
    StorageFile create(String path) throws StorageException;

    /** Whether there is such a file or directory. */
    boolean exists(String path);

    /** Bytes of a file. */
    long size(String path) throws StorageException;

    /** Names (not paths) of what is directly in a directory, sorted; empty if there is no such directory. */
    List<String> list(String directory) throws StorageException;

    /** Creates a directory and its parents, durably (each new one's parent is synced). */
    void createDirectories(String directory) throws StorageException;

    /** Renames atomically, replacing what has the new name (a directory only if that is an empty directory). */
    void rename(String from, String to) throws StorageException;

    /** Deletes a file; nothing happens if there is none. Who has it open can go on using it. */
    void delete(String path) throws StorageException;

    /** Deletes a directory with all that is in it; nothing happens if there is none. */
    void deleteRecursively(String directory) throws StorageException;

    /** Makes durable which names are directly in a directory, and what they stand for. */
    void syncDirectory(String directory) throws StorageException;
}
