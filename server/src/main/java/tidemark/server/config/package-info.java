/** Configuration: one table of settings, read from flags and a file, checked, and handed on as values. */
@NullMarked
package tidemark.server.config;

import org.jspecify.annotations.NullMarked;
