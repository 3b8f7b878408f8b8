/** Tests of the engine, package segment, and what they share. */
@NullMarked
package tidemark.statemachine.segment;

import org.jspecify.annotations.NullMarked;
