/** The state machines of stream groups: what entries do, checkpoints, recovery, and taking over another replica's checkpoint. */
@NullMarked
package tidemark.statemachine.machine;

import org.jspecify.annotations.NullMarked;
