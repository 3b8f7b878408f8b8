/** Tests of the package of the same name. */
@NullMarked
package tidemark.cli.record;

import org.jspecify.annotations.NullMarked;
