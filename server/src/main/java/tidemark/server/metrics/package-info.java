/** Counting what the server does, and the HTTP port that shows it. */
@NullMarked
package tidemark.server.metrics;

import org.jspecify.annotations.NullMarked;
