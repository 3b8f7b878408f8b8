package tidemark.chaos.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The servers of one cluster (n1, n2, …) as processes on loopback, each with its own data directory. */
public final class ClusterProcesses implements AutoCloseable {
    private final Path directory;
    private final Map<String, ServerProcess> servers = new TreeMap<>();
    private final Map<String, Integer> clientPorts = new TreeMap<>();
    private final Map<String, Integer> raftPorts = new TreeMap<>();

    /**
     * Makes the cluster; starts nothing.
     *
     * @param size number of servers
     * @param directory for data and logs
     * @param extraArguments of every server
     */
    public ClusterProcesses(Distribution distribution, int size, Path directory, String... extraArguments)
            throws IOException {
        this.directory = Files.createDirectories(directory);
        List<Integer> ports = freePorts(2 * size);
        for (int i = 1; i <= size; i++) {
            clientPorts.put("n" + i, ports.get(2 * i - 2));
            raftPorts.put("n" + i, ports.get(2 * i - 1));
        }
        for (String id : clientPorts.keySet()) {
            List<String> arguments = new ArrayList<>(List.of(
                    "--id", id, "--cluster", clusterOption(), "--data", data(id).toString(), "--http-port", "0"));
            arguments.addAll(List.of(extraArguments));
            servers.put(id, new ServerProcess(distribution, arguments, directory.resolve(id + ".log")));
        }
    }

    /** The value of {@code --cluster}. */
    public String clusterOption() {
        return clientPorts.keySet().stream()
                .map(id -> id + "=127.0.0.1:" + clientPorts.get(id) + ":" + raftPorts.get(id))
                .collect(Collectors.joining(","));
    }

    public List<String> ids() {
        return List.copyOf(servers.keySet());
    }

    public ServerProcess server(String id) {
        return known(servers, id);
    }

    /** host:port of a server for clients. */
    public String endpoint(String id) {
        return "127.0.0.1:" + known(clientPorts, id);
    }

    public int clientPort(String id) {
        return known(clientPorts, id);
    }

    public int raftPort(String id) {
        return known(raftPorts, id);
    }

    /** All endpoints, divided by commas. */
    public String endpoints() {
        return ids().stream().map(this::endpoint).collect(Collectors.joining(","));
    }

    public Path data(String id) {
        return directory.resolve(id);
    }

    public void startAll() {
        servers.values().forEach(ServerProcess::start);
    }

    /** Ends all processes, hard. */
    @Override
    public void close() {
        servers.values().forEach(ServerProcess::close);
    }

    private static <T> T known(Map<String, T> values, String id) {
        T value = values.get(id);
        if (value == null) {
            throw new IllegalArgumentException("no server " + id);
        }
        return value;
    }

    /** Ports that nobody listens on now, outside the range that the kernel gives to outgoing connections. */
    public static List<Integer> freePorts(int count) {
        List<Integer> ports = new ArrayList<>();
        // Processes of other tests start elsewhere in the range, so that two seldom look at the same port.
        int candidate = 10_000 + (int) (ProcessHandle.current().pid() * 37 % 20_000);
        while (ports.size() < count) {
            candidate = candidate >= 32_000 ? 10_000 : candidate + 1;
            if (isFree(candidate)) {
                ports.add(candidate);
            }
        }
        return ports;
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException inUse) {
            return false;
        }
    }
}
