/** Tests of the whole command against a server in memory. */
@NullMarked
package tidemark.cli;

import org.jspecify.annotations.NullMarked;
