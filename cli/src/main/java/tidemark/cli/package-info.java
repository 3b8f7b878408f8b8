/** The {@code tidemark} command: where it starts, and the process around it. */
@NullMarked
package tidemark.cli;

import org.jspecify.annotations.NullMarked;
