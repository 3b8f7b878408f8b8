package tidemark.server.config;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Every setting of the server: the one table behind flags, file, sample file and help. Each is a flag {@code --key} and a line
 * {@code key = value} of the file.
 */
public enum Setting {
    ID(Section.CLUSTER, "id", "NAME", "n1", """
            This server's name in the cluster, for ever: 1 to 63 letters, digits, '.', '_' or '-'. Its data directory belongs \
            to this name. Must be one of the names in `cluster`."""),
    CLUSTER(Section.CLUSTER, "cluster", "ID=HOST[:CLIENT_PORT[:RAFT_PORT]],...", "", """
            All servers of the cluster, the same list on each of them: 1, 3 or 5. HOST is where the others and the clients \
            reach the server; an IPv6 address stands in brackets. Ports default to 7420 and 7421. Without this the server is a \
            cluster of its own."""),
    CLUSTER_NAME(Section.CLUSTER, "cluster-name", "NAME", "tidemark", """
            Name of the cluster: 1 to 63 letters, digits, '.', '_' or '-'. Servers and data directories of other clusters are \
            refused, so two clusters on one network should have two names."""),

    LISTEN(Section.NETWORK, "listen", "HOST", "", """
            Address to listen on, for all ports; 0.0.0.0 or :: is all of them. Default: 127.0.0.1, or with `cluster` this \
            server's own HOST. There is no authentication yet: listen only on networks that you trust."""),
    CLIENT_PORT(Section.NETWORK, "client-port", "PORT", "7420", """
            Port for clients (gRPC), and for what servers ask of each other beside Raft. With `cluster` it is set there."""),
    RAFT_PORT(Section.NETWORK, "raft-port", "PORT", "7421", """
            Port for Raft, between servers. With `cluster` it is set there."""),
    HTTP_PORT(Section.NETWORK, "http-port", "PORT", "7422", """
            Port for /metrics (Prometheus), /healthz and /readyz. 0 turns it off. Several servers on one machine need \
            different ones."""),

    DATA(Section.DISKS, "data", "DIR", "./tidemark-data", """
            Data directory: identity, journal and store. Created if missing. One server process at a time."""),
    JOURNAL(Section.DISKS, "journal", "DIR", "", """
            Another directory for the journal (the Raft logs). Every acknowledged append waits for an fsync here, so a disk \
            of its own shortens appends. Default: in `data`. Cannot be changed once there is data."""),
    STORE(Section.DISKS, "store", "DIR", "", """
            Another directory for the streams' segments and the checkpoints: the bulk of the data. Default: in `data`. Cannot \
            be changed once there is data."""),

    SEGMENT_BYTES(Section.STORAGE, "segment-bytes", "BYTES", "64MiB", """
            A stream's segment file is closed at this size, 64KiB to 1GiB. Truncation frees disk by whole segments: smaller \
            ones free it sooner, larger ones are fewer files."""),
    CHECKPOINT_BYTES(Section.STORAGE, "checkpoint-bytes", "BYTES", "64MiB", """
            A group writes a checkpoint when this much was appended since its last one, 64KiB to 16GiB. It bounds what a \
            restart replays and what the journal holds. Smaller: quicker restart, more fsyncs of the store."""),
    CHECKPOINT_INTERVAL(Section.STORAGE, "checkpoint-interval", "DURATION", "60s", """
            A group with anything new writes a checkpoint at the latest after this time, 1s to 1h."""),
    JOURNAL_KEEP_BYTES(Section.STORAGE, "journal-keep-bytes", "BYTES", "32MiB", """
            Journal that each group keeps below its checkpoint, 0 to 1TiB, for followers that were away for a while. One that \
            missed more fetches segment files instead. The journal is freed by whole files, so it may hold somewhat more."""),

    PENDING_BYTES(Section.LIMITS, "pending-bytes", "BYTES", "128MiB", """
            Appends of all streams that may wait in memory to be committed, 4MiB to 64GiB; more are refused as overloaded, \
            with a time to retry after. Must fit the heap several times over."""),
    GROUP_PENDING_BYTES(Section.LIMITS, "group-pending-bytes", "BYTES", "32MiB", """
            The same for one stream's group, so that a single busy stream leaves room for the others: 4MiB to \
            `pending-bytes`."""),

    ELECTION_TIMEOUT(Section.TIMING, "election-timeout", "DURATION", "1s", """
            A follower that has not heard from its leader for this long (up to twice, at random) starts an election, 300ms to \
            60s. Shorter: appends go on sooner after a leader's crash. Longer: a pause of a loaded machine is no reason for \
            an election. The same on all servers."""),
    DRAIN_TIME(Section.TIMING, "drain-time", "DURATION", "10s", """
            How long a server that was told to stop (SIGTERM) waits for appends in flight, 0s to 10m."""),

    LOG_LEVEL(Section.LOG, "log-level", "LEVEL", "info", """
            What is logged on stderr: error, warn, info or debug. The environment variable TIDEMARK_LOG is used where neither \
            flag nor file say it.""");

    private final Section section;
    private final String key;
    private final String type;
    private final String defaultText;
    private final String description;

    Setting(Section section, String key, String type, String defaultText, String description) {
        this.section = section;
        this.key = key;
        this.type = type;
        this.defaultText = defaultText;
        this.description = description;
    }

    public Section section() {
        return section;
    }

    /** Its name in the file, and after {@code --}. */
    public String key() {
        return key;
    }

    public String flag() {
        return "--" + key;
    }

    /** What the value looks like. */
    public String type() {
        return type;
    }

    /** Empty where the default depends on other settings; the description then says how. */
    public String defaultText() {
        return defaultText;
    }

    /** For people: meaning, range, reason, cost. One paragraph. */
    public String description() {
        return description;
    }

    /** The setting with a key. */
    public static Optional<Setting> of(String key) {
        return Arrays.stream(values())
                .filter(setting -> setting.key.equals(key))
                .findFirst();
    }

    /** The settings of a section, in the order in which they are shown. */
    public static List<Setting> in(Section section) {
        return Arrays.stream(values())
                .filter(setting -> setting.section == section)
                .toList();
    }

    /** Settings that belong together. */
    public enum Section {
        CLUSTER("Who this server is"),
        NETWORK("Where it listens"),
        DISKS("Where its data is"),
        STORAGE("How it stores"),
        LIMITS("What it takes at most"),
        TIMING("How long it waits"),
        LOG("What it says");

        private final String title;

        Section(String title) {
            this.title = title;
        }

        public String title() {
            return title;
        }
    }
}
