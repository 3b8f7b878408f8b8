package tidemark.statemachine.catalog;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import tidemark.engine.proto.CatalogCheckpoint;
import tidemark.engine.proto.CatalogGroup;
import tidemark.engine.proto.CatalogLabel;
import tidemark.engine.proto.CatalogServer;
import tidemark.engine.proto.CatalogSettings;
import tidemark.engine.proto.CatalogStream;
import tidemark.engine.proto.CatalogTombstone;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.StreamEntry;
import tidemark.statemachine.model.StreamEntry.StreamSettings;
import tidemark.statemachine.model.StreamId;

/** Between the catalog's values and its messages ({@code catalog.proto}). Equal states become equal bytes. */
final class CatalogCodec {
    static final int PAYLOAD_VERSION_OLDEST = 1;
    static final int PAYLOAD_VERSION_NEWEST = 1;

    private static final int UUID_BYTES = 2 * Long.BYTES;

    private CatalogCodec() {}

    // ---- values
    // -------------------------------------------------------------------------------------------------------------------

    static ByteString bytes(UUID id) {
        ByteBuffer bytes = ByteBuffer.allocate(UUID_BYTES);
        bytes.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
        return ByteString.copyFrom(bytes.flip());
    }

    /** Empty if these are not the bytes of an id. */
    static Optional<UUID> uuid(ByteString bytes) {
        if (bytes.size() != UUID_BYTES) {
            return Optional.empty();
        }
        ByteBuffer buffer = bytes.asReadOnlyByteBuffer();
        return Optional.of(new UUID(buffer.getLong(), buffer.getLong()));
    }

    static CatalogServer toProto(ServerEntry server) {
        return CatalogServer.newBuilder()
                .setId(server.id())
                .setHost(server.host())
                .setClientPort(server.clientPort())
                .setRaftPort(server.raftPort())
                .build();
    }

    static ServerEntry fromProto(CatalogServer server) {
        return new ServerEntry(server.getId(), server.getHost(), server.getClientPort(), server.getRaftPort());
    }

    static CatalogSettings toProto(StreamSettings settings) {
        return CatalogSettings.newBuilder()
                .setReplicas(settings.replicas())
                .setMaxRecordBytes(settings.maxRecordBytes())
                .addAllLabels(toProto(settings.labels()))
                .build();
    }

    static StreamSettings fromProto(CatalogSettings settings) {
        return new StreamSettings(
                settings.getReplicas(), settings.getMaxRecordBytes(), fromProto(settings.getLabelsList()));
    }

    static List<CatalogLabel> toProto(Map<String, String> labels) {
        return new TreeMap<>(labels)
                .entrySet().stream()
                        .map(label -> CatalogLabel.newBuilder()
                                .setKey(label.getKey())
                                .setValue(label.getValue())
                                .build())
                        .toList();
    }

    /** Of several labels with one key the last counts. */
    static NavigableMap<String, String> fromProto(List<CatalogLabel> labels) {
        NavigableMap<String, String> map = new TreeMap<>();
        labels.forEach(label -> map.put(label.getKey(), label.getValue()));
        return map;
    }

    // ---- the checkpoint
    // -----------------------------------------------------------------------------------------------------------

    static byte[] encode(CatalogState state) {
        CatalogCheckpoint.Builder checkpoint = CatalogCheckpoint.newBuilder().setPayloadVersion(PAYLOAD_VERSION_NEWEST);
        state.servers().values().forEach(server -> checkpoint.addServers(toProto(server)));
        for (GroupEntry group : state.groups()) {
            checkpoint.addGroups(
                    CatalogGroup.newBuilder().setId(bytes(group.id().value())).addAllReplicas(group.replicas()));
        }
        state.list("", "", Integer.MAX_VALUE).forEach(stream -> checkpoint.addStreams(toProto(stream)));
        for (Map.Entry<GroupId, Set<String>> tombstone : state.tombstones().entrySet()) {
            checkpoint.addTombstones(CatalogTombstone.newBuilder()
                    .setGroupId(bytes(tombstone.getKey().value()))
                    .addAllServers(tombstone.getValue()));
        }
        return checkpoint.build().toByteArray();
    }

    private static CatalogStream toProto(StreamEntry stream) {
        return CatalogStream.newBuilder()
                .setName(stream.name())
                .setId(bytes(stream.id().value()))
                .setGroupId(bytes(stream.group().value()))
                .setSettings(toProto(stream.settings()))
                .setCreatedMs(stream.createdMs())
                .setSealed(stream.sealed())
                .setRevision(stream.revision())
                .build();
    }

    /**
     * The state of a checkpoint.
     *
     * @param path where it was read, for messages
     * @throws StorageException.Corrupt if it is not one, or not one that the machine can have written
     */
    static CatalogState decode(String path, byte[] payload) throws StorageException {
        CatalogCheckpoint checkpoint;
        try {
            checkpoint = CatalogCheckpoint.parseFrom(payload);
        } catch (InvalidProtocolBufferException e) {
            throw corrupt(path, "the message of a catalog checkpoint", String.valueOf(e.getMessage()));
        }
        int version = checkpoint.getPayloadVersion();
        if (version < PAYLOAD_VERSION_OLDEST || version > PAYLOAD_VERSION_NEWEST) {
            throw new StorageException.UnsupportedVersion(
                    path, version, PAYLOAD_VERSION_OLDEST, PAYLOAD_VERSION_NEWEST);
        }
        CatalogState state = new CatalogState();
        checkpoint.getServersList().forEach(server -> state.putServer(fromProto(server)));
        restoreStreams(path, checkpoint, state);
        for (CatalogTombstone tombstone : checkpoint.getTombstonesList()) {
            GroupId id = new GroupId(id(path, tombstone.getGroupId()));
            check(
                    path,
                    state.group(id).isEmpty() && !state.tombstones().containsKey(id),
                    "each group once",
                    "again " + id);
            check(path, tombstone.getServersCount() > 0, "tombstones with servers", "none for " + id);
            state.putTombstone(id, tombstone.getServersList());
        }
        return state;
    }

    private static void restoreStreams(String path, CatalogCheckpoint checkpoint, CatalogState state)
            throws StorageException {
        Map<GroupId, Collection<String>> replicas = new TreeMap<>();
        for (CatalogGroup group : checkpoint.getGroupsList()) {
            GroupId id = new GroupId(id(path, group.getId()));
            check(path, replicas.put(id, group.getReplicasList()) == null, "each group once", "again " + id);
        }
        Set<GroupId> unused = new HashSet<>(replicas.keySet());
        for (CatalogStream stream : checkpoint.getStreamsList()) {
            StreamEntry entry = new StreamEntry(
                    stream.getName(),
                    new StreamId(id(path, stream.getId())),
                    new GroupId(id(path, stream.getGroupId())),
                    fromProto(stream.getSettings()),
                    stream.getCreatedMs(),
                    stream.getSealed(),
                    stream.getRevision());
            boolean isNew = state.stream(entry.name()).isEmpty()
                    && state.stream(entry.id()).isEmpty();
            check(path, isNew, "each stream once", "again " + entry.id());
            Collection<String> servers = replicas.get(entry.group());
            if (servers == null) {
                throw corrupt(path, "the group of each stream", "none for " + entry.id());
            }
            state.addStream(entry, List.copyOf(servers));
            unused.remove(entry.group());
        }
        check(path, unused.isEmpty(), "a stream in each group", "none in " + unused.size() + " groups");
    }

    private static UUID id(String path, ByteString bytes) throws StorageException {
        Optional<UUID> id = uuid(bytes);
        if (id.isEmpty()) {
            throw corrupt(path, "an id of " + UUID_BYTES + " bytes", bytes.size() + " bytes");
        }
        return id.get();
    }

    private static void check(String path, boolean holds, String expected, String found) throws StorageException {
        if (!holds) {
            throw corrupt(path, expected, found);
        }
    }

    private static StorageException.Corrupt corrupt(String path, String expected, String found) {
        return new StorageException.Corrupt(path + " (payload)", 0, expected, found);
    }
}
