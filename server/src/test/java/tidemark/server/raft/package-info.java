/** Tests of the Raft host: servers of a small cluster in one process, with a simple machine of their own. */
@NullMarked
package tidemark.server.raft;

import org.jspecify.annotations.NullMarked;
