/** The leader's batcher: joins pending operations into few, large Raft entries. No network, no Raft library, no thread of its own. */
@NullMarked
package tidemark.server.batch;

import org.jspecify.annotations.NullMarked;
