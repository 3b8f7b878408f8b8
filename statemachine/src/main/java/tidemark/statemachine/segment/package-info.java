/** Files of consecutive frames: where they lie, how they are written, made durable, indexed, opened and walked through. */
@NullMarked
package tidemark.statemachine.segment;

import org.jspecify.annotations.NullMarked;
