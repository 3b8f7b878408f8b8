package tidemark.server.grpc;

import java.io.IOException;
import java.nio.channels.UnresolvedAddressException;

/** The address to listen on is taken by another process (or is not an address of this machine): the message says which. */
public final class PortInUseException extends IOException {
    private static final long serialVersionUID = 1L;

    public PortInUseException(String host, int port, Throwable cause) {
        super(
                "cannot listen on " + (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port + ": "
                        + reason(cause),
                cause);
    }

    /** The innermost message: what the operating system said. */
    private static String reason(Throwable failure) {
        Throwable innermost = failure;
        while (innermost.getCause() != null) {
            innermost = innermost.getCause();
        }
        if (innermost instanceof UnresolvedAddressException) {
            return "no such host is known";
        }
        return innermost.getMessage() == null ? innermost.toString() : innermost.getMessage();
    }
}
