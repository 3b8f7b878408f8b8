/** Tests of the engine, and what they share. */
@NullMarked
package tidemark.statemachine;

import org.jspecify.annotations.NullMarked;
