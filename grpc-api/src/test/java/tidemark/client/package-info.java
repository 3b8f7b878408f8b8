/** Tests of the client against fake servers on in-process and loopback connections. */
@NullMarked
package tidemark.client;

import org.jspecify.annotations.NullMarked;
