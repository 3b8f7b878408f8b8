/** The doors to the world outside: files now; the only package of the engine that may touch them. */
@NullMarked
package tidemark.statemachine.env;

import org.jspecify.annotations.NullMarked;
