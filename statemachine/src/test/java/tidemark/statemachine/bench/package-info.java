/** Measurements, run by hand: see each class. */
@NullMarked
package tidemark.statemachine.bench;

import org.jspecify.annotations.NullMarked;
