/** Tests of what people are shown of stored files. */
@NullMarked
package tidemark.statemachine.inspect;

import org.jspecify.annotations.NullMarked;
