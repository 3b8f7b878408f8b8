/** The public API over the network: services, routing between servers, errors, and the client side of what servers ask of each other. */
@NullMarked
package tidemark.server.grpc;

import org.jspecify.annotations.NullMarked;
