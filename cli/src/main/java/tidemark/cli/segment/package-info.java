/** Reads segment files of a server that is not asked, without ever changing them: frame by frame, with every checksum. */
@NullMarked
package tidemark.cli.segment;

import org.jspecify.annotations.NullMarked;
