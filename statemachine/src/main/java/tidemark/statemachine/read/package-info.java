/** Readers of a stream's batches, which work on immutable snapshots of what is readable and never wait for the writer. */
@NullMarked
package tidemark.statemachine.read;

import org.jspecify.annotations.NullMarked;
