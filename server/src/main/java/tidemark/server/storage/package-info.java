/** The data directory as a whole: its lock, its identity, and what the disk below it is good for. */
@NullMarked
package tidemark.server.storage;

import org.jspecify.annotations.NullMarked;
