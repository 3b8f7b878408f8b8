package tidemark.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Ports on loopback that nobody listens on, outside the range that the kernel gives to outgoing connections. */
final class FreePorts {
    private static int candidate = 10_000 + (int) (ProcessHandle.current().pid() * 37 % 20_000);

    private FreePorts() {}

    static synchronized int next() throws IOException {
        while (true) {
            candidate = candidate >= 32_000 ? 10_000 : candidate + 1;
            try (ServerSocket socket = new ServerSocket(candidate, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException inUse) {
                candidate++;
            }
        }
    }
}
