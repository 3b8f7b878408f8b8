/** Tests of the engine, package read, and what they share. */
@NullMarked
package tidemark.statemachine.read;

import org.jspecify.annotations.NullMarked;
