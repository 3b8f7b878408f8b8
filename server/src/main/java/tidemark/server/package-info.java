/** The server process: command line, wiring of the parts, start, failure and end. The only place with the real clocks and randomness. */
@NullMarked
package tidemark.server;

import org.jspecify.annotations.NullMarked;
