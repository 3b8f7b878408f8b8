/** Tests of the container of durable checkpoints. */
@NullMarked
package tidemark.statemachine.manifest;

import org.jspecify.annotations.NullMarked;
