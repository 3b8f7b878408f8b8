/** The words of the engine as values: identities, positions, streams and the outcomes of commands. */
@NullMarked
package tidemark.statemachine.model;

import org.jspecify.annotations.NullMarked;
