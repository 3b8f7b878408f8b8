/** Tests of the engine, package machine, and what they share. */
@NullMarked
package tidemark.statemachine.machine;

import org.jspecify.annotations.NullMarked;
