package tidemark.statemachine.catalog;

import com.google.protobuf.ByteString;
import java.io.ByteArrayOutputStream;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import tidemark.engine.proto.CatalogBarrier;
import tidemark.engine.proto.CatalogCommand;
import tidemark.engine.proto.CatalogEntry;
import tidemark.engine.proto.ConfirmGroupRemoved;
import tidemark.engine.proto.CreateStream;
import tidemark.engine.proto.DeleteStream;
import tidemark.engine.proto.MarkSealed;
import tidemark.engine.proto.RegisterServers;
import tidemark.engine.proto.UpdateStream;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.StreamEntry.StreamSettings;
import tidemark.statemachine.model.StreamId;

/**
 * Forms the entries that the catalog's leader proposes: each is the bytes of one Raft entry with one command, hence with one
 * outcome; {@link #join} makes one of several. Nothing is judged here; the machine does, and says {@code Rejected}.
 */
public final class CatalogCommands {
    private CatalogCommands() {}

    /** Adds servers, and changes the addresses of known ones; others stay. Outcome: Done, or Invalid. */
    public static byte[] registerServers(Collection<ServerEntry> servers) {
        RegisterServers.Builder command = RegisterServers.newBuilder();
        servers.forEach(server -> command.addServers(CatalogCodec.toProto(server)));
        return entry(CatalogCommand.newBuilder().setRegisterServers(command));
    }

    /**
     * Creates a stream in a new group. Outcome: StreamChanged ({@code changed} is false if it was there with these settings),
     * StreamExists, NotEnoughServers, or Invalid.
     *
     * @param stream new for ever
     * @param group new for ever
     * @param settings without defaults left
     * @param createdMs the proposer's clock, milliseconds since the Unix epoch
     */
    public static byte[] createStream(
            String name, StreamId stream, GroupId group, StreamSettings settings, long createdMs) {
        return entry(CatalogCommand.newBuilder()
                .setCreateStream(CreateStream.newBuilder()
                        .setName(name)
                        .setStreamId(CatalogCodec.bytes(stream.value()))
                        .setGroupId(CatalogCodec.bytes(group.value()))
                        .setSettings(CatalogCodec.toProto(settings))
                        .setCreatedMs(createdMs)));
    }

    /** Changes the settings that are given. Outcome: StreamChanged, UnknownStream, RevisionConflict, or Invalid. */
    public static byte[] updateStream(
            String name,
            OptionalInt maxRecordBytes,
            Map<String, String> setLabels,
            Set<String> removeLabels,
            OptionalLong expectedRevision) {
        UpdateStream.Builder command = UpdateStream.newBuilder()
                .setName(name)
                .addAllSetLabels(CatalogCodec.toProto(setLabels))
                .addAllRemoveLabels(new TreeSet<>(removeLabels));
        maxRecordBytes.ifPresent(command::setMaxRecordBytes);
        expectedRevision.ifPresent(command::setExpectedRevision);
        return entry(CatalogCommand.newBuilder().setUpdateStream(command));
    }

    /** Deletes a stream. Outcome: StreamChanged with the entry that was removed, or UnknownStream (also if the id is another). */
    public static byte[] deleteStream(String name, Optional<StreamId> onlyIfId) {
        return entry(CatalogCommand.newBuilder()
                .setDeleteStream(DeleteStream.newBuilder()
                        .setName(name)
                        .setStreamId(onlyIfId.map(id -> CatalogCodec.bytes(id.value()))
                                .orElse(ByteString.EMPTY))));
    }

    /** Takes a server off a tombstone, once nothing of the group is left on it. Outcome: Done, also if there was nothing to do. */
    public static byte[] confirmGroupRemoved(GroupId group, String serverId) {
        return entry(CatalogCommand.newBuilder()
                .setConfirmGroupRemoved(ConfirmGroupRemoved.newBuilder()
                        .setGroupId(CatalogCodec.bytes(group.value()))
                        .setServerId(serverId)));
    }

    /** Notes that a stream's group has sealed it. Outcome: StreamChanged, or UnknownStream. */
    public static byte[] markSealed(StreamId stream) {
        return entry(CatalogCommand.newBuilder()
                .setMarkSealed(MarkSealed.newBuilder().setStreamId(CatalogCodec.bytes(stream.value()))));
    }

    /** Changes nothing; that it is applied proves that its proposer was the leader when it was appended. Outcome: Done. */
    public static byte[] barrier() {
        return entry(CatalogCommand.newBuilder().setBarrier(CatalogBarrier.getDefaultInstance()));
    }

    /** One entry with the commands of several, in order. */
    public static byte[] join(List<byte[]> entries) {
        // So the wire format has it: messages one after the other are one message, with repeated fields joined.
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        entries.forEach(joined::writeBytes);
        return joined.toByteArray();
    }

    private static byte[] entry(CatalogCommand.Builder command) {
        return CatalogEntry.newBuilder().addCommands(command).build().toByteArray();
    }
}
