@NullMarked
package tidemark.server;

import org.jspecify.annotations.NullMarked;
