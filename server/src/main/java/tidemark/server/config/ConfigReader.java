package tidemark.server.config;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tidemark.server.config.ServerConfig.Addresses;
import tidemark.server.config.ServerConfig.Cluster;
import tidemark.server.config.ServerConfig.Directories;
import tidemark.server.config.ServerConfig.Limits;
import tidemark.server.config.ServerConfig.Storage;
import tidemark.server.config.ServerConfig.Timing;
import tidemark.statemachine.catalog.ServerEntry;

/** Makes a complete, checked configuration of what was given. Touches no file and no network. */
public final class ConfigReader {
    private static final long KIB = 1L << 10;
    private static final long MIB = 1L << 20;
    private static final long GIB = 1L << 30;
    private static final Set<String> LOG_LEVELS = Set.of("error", "warn", "info", "debug");
    private static final String LOOPBACK = "127.0.0.1";

    private final Map<Setting, Given> given;

    private ConfigReader(Map<Setting, Given> given) {
        this.given = given;
    }

    /**
     * @param flags win over the file
     * @param environmentLogLevel what the environment says about the log level, if neither does
     */
    public static ServerConfig read(
            Map<Setting, Given> flags, Map<Setting, Given> file, Optional<Given> environmentLogLevel)
            throws ConfigException {
        Map<Setting, Given> merged = new EnumMap<>(Setting.class);
        environmentLogLevel.ifPresent(level -> merged.put(Setting.LOG_LEVEL, level));
        merged.putAll(file);
        merged.putAll(flags);
        return new ConfigReader(merged).config();
    }

    private ServerConfig config() throws ConfigException {
        String id = name(Setting.ID);
        @Nullable Given clusterGiven = given.get(Setting.CLUSTER);
        Cluster cluster = clusterGiven == null ? alone(id) : cluster(id, clusterGiven);
        ServerEntry self = cluster.self();
        Addresses addresses = new Addresses(
                listen().orElse(clusterGiven == null ? LOOPBACK : self.host()),
                self.clientPort(),
                self.raftPort(),
                Values.port(value(Setting.HTTP_PORT), 0));
        checkHttpPort(addresses);
        return new ServerConfig(cluster, addresses, directories(), storage(), limits(), timing(), logLevel());
    }

    /** A cluster of one. */
    private Cluster alone(String id) throws ConfigException {
        ServerEntry self = new ServerEntry(
                id,
                Hosts.reachable(listen().orElse(LOOPBACK)),
                Values.port(value(Setting.CLIENT_PORT), 1),
                Values.port(value(Setting.RAFT_PORT), 1));
        if (self.clientPort() == self.raftPort()) {
            throw value(Setting.RAFT_PORT)
                    .problem("must differ from " + Setting.CLIENT_PORT.key() + ", " + self.clientPort());
        }
        return new Cluster(name(Setting.CLUSTER_NAME), id, List.of(self));
    }

    private Cluster cluster(String id, Given list) throws ConfigException {
        int clientPort = Values.number(Setting.CLIENT_PORT.defaultText());
        int raftPort = Values.number(Setting.RAFT_PORT.defaultText());
        Cluster cluster =
                new Cluster(name(Setting.CLUSTER_NAME), id, new MemberList(list, clientPort, raftPort).parse());
        if (cluster.members().stream().noneMatch(member -> member.id().equals(id))) {
            throw list.problem("does not name this server, " + id + "; add it, or set " + Setting.ID.flag()
                    + " to one of "
                    + String.join(
                            ", ",
                            cluster.members().stream().map(ServerEntry::id).toList()));
        }
        checkPort(Setting.CLIENT_PORT, cluster.self().clientPort());
        checkPort(Setting.RAFT_PORT, cluster.self().raftPort());
        return cluster;
    }

    /** The others know this server's ports from the list alone, so whoever sets them must do so there. */
    private void checkPort(Setting setting, int inList) throws ConfigException {
        @Nullable Given port = given.get(setting);
        if (port != null && Values.port(port, 1) != inList) {
            throw port.problem(port.value() + " contradicts " + Setting.CLUSTER.key() + ", where this server has port "
                    + inList + "; set the port there, on all servers");
        }
    }

    private void checkHttpPort(Addresses addresses) throws ConfigException {
        int port = addresses.httpPort();
        if (port == addresses.clientPort() || port == addresses.raftPort()) {
            throw value(Setting.HTTP_PORT)
                    .problem(port + " is already the client or Raft port; set another, or 0 to do without");
        }
    }

    private Optional<String> listen() throws ConfigException {
        @Nullable Given listen = given.get(Setting.LISTEN);
        if (listen == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(Hosts.parse(listen.value()));
        } catch (IllegalArgumentException e) {
            throw listen.problem(String.valueOf(e.getMessage()));
        }
    }

    private Directories directories() throws ConfigException {
        Path data = path(value(Setting.DATA));
        @Nullable Given journal = given.get(Setting.JOURNAL);
        @Nullable Given store = given.get(Setting.STORE);
        return new Directories(data, journal == null ? data : path(journal), store == null ? data : path(store));
    }

    private static Path path(Given directory) throws ConfigException {
        try {
            return Path.of(directory.value()).toAbsolutePath().normalize();
        } catch (InvalidPathException e) {
            throw directory.problem("'" + Values.shown(directory.value()) + "' cannot be a path: " + e.getReason());
        }
    }

    private Storage storage() throws ConfigException {
        return new Storage(
                Values.bytes(value(Setting.SEGMENT_BYTES), 64 * KIB, GIB),
                Values.bytes(value(Setting.CHECKPOINT_BYTES), 64 * KIB, 16 * GIB),
                Values.duration(value(Setting.CHECKPOINT_INTERVAL), Duration.ofSeconds(1), Duration.ofHours(1)),
                Values.bytes(value(Setting.JOURNAL_KEEP_BYTES), 0, 1024 * GIB));
    }

    private Limits limits() throws ConfigException {
        long pending = Values.bytes(value(Setting.PENDING_BYTES), 4 * MIB, 64 * GIB);
        // The default of a part follows a whole that was made smaller.
        if (!given.containsKey(Setting.GROUP_PENDING_BYTES)) {
            return new Limits(
                    pending, Math.min(pending, Values.bytes(value(Setting.GROUP_PENDING_BYTES), 0, Long.MAX_VALUE)));
        }
        return new Limits(pending, Values.bytes(value(Setting.GROUP_PENDING_BYTES), 4 * MIB, pending));
    }

    private Timing timing() throws ConfigException {
        return new Timing(
                Values.duration(value(Setting.ELECTION_TIMEOUT), Duration.ofMillis(300), Duration.ofSeconds(60)),
                Values.duration(value(Setting.DRAIN_TIME), Duration.ZERO, Duration.ofMinutes(10)));
    }

    private String logLevel() throws ConfigException {
        Given level = value(Setting.LOG_LEVEL);
        String lower = level.value().toLowerCase(Locale.ROOT);
        if (!LOG_LEVELS.contains(lower)) {
            throw level.problem("must be error, warn, info or debug, not '" + Values.shown(level.value()) + "'");
        }
        return lower;
    }

    private String name(Setting setting) throws ConfigException {
        Given name = value(setting);
        if (!name.value().matches("[A-Za-z0-9._-]{1,63}")) {
            throw name.problem(
                    "must be 1 to 63 letters, digits, '.', '_' or '-', not '" + Values.shown(name.value()) + "'");
        }
        return name.value();
    }

    private Given value(Setting setting) {
        return given.getOrDefault(setting, new Given(setting.defaultText(), setting.key() + " (default)"));
    }
}
