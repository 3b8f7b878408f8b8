/** Tests of the catalog. */
@NullMarked
package tidemark.statemachine.catalog;

import org.jspecify.annotations.NullMarked;
