/** The container of durable checkpoints: one file for each, replaced atomically, checked when read. */
@NullMarked
package tidemark.statemachine.manifest;

import org.jspecify.annotations.NullMarked;
