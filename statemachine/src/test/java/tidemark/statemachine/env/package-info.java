/** Tests of the doors to the world outside, and the fake ones that other tests stand on. */
@NullMarked
package tidemark.statemachine.env;

import org.jspecify.annotations.NullMarked;
