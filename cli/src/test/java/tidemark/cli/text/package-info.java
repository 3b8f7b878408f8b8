/** Tests of the package of the same name. */
@NullMarked
package tidemark.cli.text;

import org.jspecify.annotations.NullMarked;
