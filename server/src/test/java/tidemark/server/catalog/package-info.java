@NullMarked
package tidemark.server.catalog;

import org.jspecify.annotations.NullMarked;
