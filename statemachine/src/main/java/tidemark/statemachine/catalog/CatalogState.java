package tidemark.statemachine.catalog;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.StreamEntry;
import tidemark.statemachine.model.StreamId;

/**
 * What the catalog knows: servers, groups, streams. Changed by its machine's applier alone; any thread may read without locks.
 * Entries are immutable. Collections that are returned are live views: safe to iterate while they change, and then maybe a mix
 * of before and after. A stream that is found by its name has its group; a deleted group has its tombstone before it is gone.
 *
 * <p><b>To remove data, ask {@link #tombstones}.</b> A group that is just unknown may be one that this copy has not heard of yet.
 */
public final class CatalogState {
    /** Most streams of a cluster. */
    public static final int STREAMS_MAX = 100_000;

    /** Most servers of a cluster. */
    public static final int SERVERS_MAX = 64;

    /**
     * Most bytes of streams, groups and tombstones together, as {@link #bytes} counts them, so that a checkpoint is always within the
     * limit of a manifest. With long names and many labels it is reached before {@link #STREAMS_MAX}.
     */
    public static final int BYTES_MAX = 48 << 20;

    private static final long STREAM_BYTES = 128;
    private static final long LABEL_BYTES = 16;
    private static final long GROUP_BYTES = 64;
    private static final long REPLICA_BYTES = 8;

    private final ConcurrentSkipListMap<String, ServerEntry> servers = new ConcurrentSkipListMap<>();
    private final ConcurrentSkipListMap<GroupId, GroupEntry> groups = new ConcurrentSkipListMap<>();
    private final ConcurrentSkipListMap<String, StreamEntry> streams = new ConcurrentSkipListMap<>();
    private final ConcurrentHashMap<StreamId, StreamEntry> streamsById = new ConcurrentHashMap<>();
    private final ConcurrentSkipListMap<GroupId, Set<String>> tombstones = new ConcurrentSkipListMap<>();
    private final ConcurrentHashMap<String, Integer> replicaCounts = new ConcurrentHashMap<>();
    private final AtomicLong bytes = new AtomicLong();

    CatalogState() {}

    /** All servers, by id. */
    public SortedMap<String, ServerEntry> servers() {
        return Collections.unmodifiableSortedMap(servers);
    }

    /** The stream that has a name now. */
    public Optional<StreamEntry> stream(String name) {
        return Optional.ofNullable(streams.get(name));
    }

    /** The stream with an id, if it is not deleted. */
    public Optional<StreamEntry> stream(StreamId id) {
        return Optional.ofNullable(streamsById.get(id));
    }

    /**
     * Streams whose names start with a prefix and sort after a name, in order of their names.
     *
     * @param prefix empty: all
     * @param afterName empty: from the first
     * @param limit most to return
     */
    public List<StreamEntry> list(String prefix, String afterName, int limit) {
        NavigableMap<String, StreamEntry> rest =
                afterName.compareTo(prefix) < 0 ? streams.tailMap(prefix, true) : streams.tailMap(afterName, false);
        List<StreamEntry> found = new ArrayList<>();
        for (StreamEntry stream : rest.values()) {
            if (found.size() >= limit || !stream.name().startsWith(prefix)) {
                break;
            }
            found.add(stream);
        }
        return found;
    }

    /** Number of streams. */
    public int streamCount() {
        return streamsById.size();
    }

    /** All groups that host something, sorted by id. */
    public Collection<GroupEntry> groups() {
        return Collections.unmodifiableCollection(groups.values());
    }

    /** A group that hosts something. */
    public Optional<GroupEntry> group(GroupId id) {
        return Optional.ofNullable(groups.get(id));
    }

    /** Server ids of a group's replicas; empty if the group is unknown or deleted. */
    public List<String> replicas(GroupId id) {
        return group(id).map(GroupEntry::replicas).orElse(List.of());
    }

    /** Number of groups that have a replica on a server. */
    public int replicaCount(String serverId) {
        return replicaCounts.getOrDefault(serverId, 0);
    }

    /** Deleted groups, each with the servers that have yet to remove it: the only reason to remove a hosted group. */
    public Map<GroupId, Set<String>> tombstones() {
        return Collections.unmodifiableSortedMap(tombstones);
    }

    /** An upper bound of the bytes that streams, groups and tombstones take in a checkpoint. */
    public long bytes() {
        return bytes.get();
    }

    // ---- for the machine
    // ----------------------------------------------------------------------------------------------------------

    SortedSet<String> serverIds() {
        return servers.keySet();
    }

    Map<String, Integer> replicaCounts() {
        return replicaCounts;
    }

    void putServer(ServerEntry server) {
        servers.put(server.id(), server);
    }

    /** Adds a stream, and its group if it is new. */
    void addStream(StreamEntry stream, List<String> replicas) {
        GroupEntry before = groups.get(stream.group());
        SortedSet<StreamId> hosted = new TreeSet<>(before == null ? List.of() : before.streams());
        hosted.add(stream.id());
        groups.put(stream.group(), new GroupEntry(stream.group(), List.copyOf(hosted), replicas));
        if (before == null) {
            countReplicas(replicas, 1);
            bytes.addAndGet(groupBytes(replicas));
        }
        streamsById.put(stream.id(), stream);
        streams.put(stream.name(), stream);
        bytes.addAndGet(streamBytes(stream));
    }

    /** Puts a changed entry in place of the one with its name and id. */
    void replaceStream(StreamEntry changed) {
        StreamEntry before = streams.put(changed.name(), changed);
        if (before == null || !before.id().equals(changed.id())) {
            throw new IllegalStateException("not an entry of the stream that is there: " + changed.id());
        }
        streamsById.put(changed.id(), changed);
        bytes.addAndGet(streamBytes(changed) - streamBytes(before));
    }

    /** Removes a stream; a group that hosts nothing then becomes a tombstone. */
    void removeStream(StreamEntry stream) {
        streams.remove(stream.name());
        streamsById.remove(stream.id());
        bytes.addAndGet(-streamBytes(stream));
        GroupEntry group = groups.get(stream.group());
        if (group == null) {
            throw new IllegalStateException("stream without a group: " + stream.id());
        }
        List<StreamId> left =
                group.streams().stream().filter(id -> !id.equals(stream.id())).toList();
        if (left.isEmpty()) {
            putTombstone(group.id(), group.replicas());
            groups.remove(group.id());
            countReplicas(group.replicas(), -1);
            bytes.addAndGet(-groupBytes(group.replicas()));
        } else {
            groups.put(group.id(), new GroupEntry(group.id(), left, group.replicas()));
        }
    }

    void putTombstone(GroupId group, Collection<String> serverIds) {
        tombstones.put(group, Collections.unmodifiableSortedSet(new TreeSet<>(serverIds)));
        bytes.addAndGet(groupBytes(serverIds));
    }

    /** Takes a server off a tombstone, and the tombstone away with its last server. */
    void confirmRemoved(GroupId group, String serverId) {
        Set<String> before = tombstones.get(group);
        if (before == null || !before.contains(serverId)) {
            return;
        }
        Set<String> left = new TreeSet<>(before);
        left.remove(serverId);
        bytes.addAndGet(-groupBytes(before));
        if (left.isEmpty()) {
            tombstones.remove(group);
        } else {
            putTombstone(group, left);
        }
    }

    private void countReplicas(List<String> replicas, int change) {
        replicas.forEach(server -> replicaCounts.merge(server, change, Integer::sum));
    }

    static long streamBytes(StreamEntry stream) {
        long total = STREAM_BYTES + stream.name().length();
        for (Map.Entry<String, String> label : stream.settings().labels().entrySet()) {
            total += LABEL_BYTES + utf8Length(label.getKey()) + utf8Length(label.getValue());
        }
        return total;
    }

    static long groupBytes(Collection<String> serverIds) {
        return GROUP_BYTES
                + serverIds.stream()
                        .mapToLong(id -> REPLICA_BYTES + id.length())
                        .sum();
    }

    private static int utf8Length(String text) {
        return text.getBytes(UTF_8).length;
    }
}
