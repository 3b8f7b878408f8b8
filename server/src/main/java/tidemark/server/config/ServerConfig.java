package tidemark.server.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import tidemark.statemachine.catalog.ServerEntry;

/**
 * What a server was told, complete and checked.
 *
 * @param logLevel error, warn, info or debug
 */
public record ServerConfig(
        Cluster cluster,
        Addresses addresses,
        Directories directories,
        Storage storage,
        Limits limits,
        Timing timing,
        String logLevel) {

    /**
     * Who this server is, and who the others are.
     *
     * @param members all servers, this one included, sorted by id
     */
    public record Cluster(String name, String serverId, List<ServerEntry> members) {
        /** This server. */
        public ServerEntry self() {
            return members.stream()
                    .filter(member -> member.id().equals(serverId))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /**
     * Where this server listens.
     *
     * @param listen address to bind
     * @param httpPort 0: none
     */
    public record Addresses(String listen, int clientPort, int raftPort, int httpPort) {}

    /**
     * Where its data is.
     *
     * @param journal the same as {@code data} unless it was set
     * @param store the same as {@code data} unless it was set
     */
    public record Directories(Path data, Path journal, Path store) {}

    /** How it stores. */
    public record Storage(
            long segmentBytes, long checkpointBytes, Duration checkpointInterval, long journalKeepBytes) {}

    /** What it takes at most. */
    public record Limits(long pendingBytes, long groupPendingBytes) {}

    /** How long it waits. */
    public record Timing(Duration electionTimeout, Duration drainTime) {}
}
