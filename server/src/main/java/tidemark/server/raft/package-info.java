/** Consensus: hosts this server's Raft groups on Apache Ratis. The only package that knows the Raft library. */
@NullMarked
package tidemark.server.raft;

import org.jspecify.annotations.NullMarked;
