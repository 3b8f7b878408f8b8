@NullMarked
package tidemark.server.config;

import org.jspecify.annotations.NullMarked;
