/** Tests of the engine, package format, and what they share. */
@NullMarked
package tidemark.statemachine.format;

import org.jspecify.annotations.NullMarked;
