@NullMarked
package tidemark.server.metrics;

import org.jspecify.annotations.NullMarked;
