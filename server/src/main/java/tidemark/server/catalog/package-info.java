/** This server's copy of the catalog, changes to it, and making what runs here agree with it. */
@NullMarked
package tidemark.server.catalog;

import org.jspecify.annotations.NullMarked;
