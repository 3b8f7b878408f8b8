@NullMarked
package tidemark.statemachine;

import org.jspecify.annotations.NullMarked;
