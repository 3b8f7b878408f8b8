/** The catalog: the deterministic machine that knows the cluster's servers, groups and streams. */
@NullMarked
package tidemark.statemachine.catalog;

import org.jspecify.annotations.NullMarked;
