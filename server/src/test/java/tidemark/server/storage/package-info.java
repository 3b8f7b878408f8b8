@NullMarked
package tidemark.server.storage;

import org.jspecify.annotations.NullMarked;
