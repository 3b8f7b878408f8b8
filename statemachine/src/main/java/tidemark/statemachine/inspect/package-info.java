/** Looks into stored files for people and tools: reads as much as can be read, says what is wrong, and never changes anything. */
@NullMarked
package tidemark.statemachine.inspect;

import org.jspecify.annotations.NullMarked;
