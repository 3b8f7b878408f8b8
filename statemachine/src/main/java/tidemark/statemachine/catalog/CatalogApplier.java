package tidemark.statemachine.catalog;

import com.google.protobuf.ByteString;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import tidemark.engine.proto.CatalogCommand;
import tidemark.engine.proto.ConfirmGroupRemoved;
import tidemark.engine.proto.CreateStream;
import tidemark.engine.proto.DeleteStream;
import tidemark.engine.proto.MarkSealed;
import tidemark.engine.proto.RegisterServers;
import tidemark.engine.proto.UpdateStream;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.Outcome;
import tidemark.statemachine.model.StreamEntry;
import tidemark.statemachine.model.StreamEntry.StreamSettings;
import tidemark.statemachine.model.StreamId;

/**
 * What each command does to the state: judges it first, then changes, so that what is rejected changes nothing. Deterministic: depends
 * on the state and the command alone. All rules are checked here, whatever the proposer has checked before.
 */
final class CatalogApplier {
    private static final long FIRST_REVISION = 1;

    private final CatalogState state;

    CatalogApplier(CatalogState state) {
        this.state = state;
    }

    /** Applies a command of a known kind. */
    Outcome apply(CatalogCommand command) {
        return switch (command.getKindCase()) {
            case REGISTER_SERVERS -> registerServers(command.getRegisterServers());
            case CREATE_STREAM -> createStream(command.getCreateStream());
            case UPDATE_STREAM -> updateStream(command.getUpdateStream());
            case DELETE_STREAM -> deleteStream(command.getDeleteStream());
            case CONFIRM_GROUP_REMOVED -> confirmGroupRemoved(command.getConfirmGroupRemoved());
            case MARK_SEALED -> markSealed(command.getMarkSealed());
            case BARRIER -> new Outcome.Done();
            case KIND_NOT_SET -> throw new IllegalArgumentException("command of an unknown kind");
        };
    }

    private Outcome registerServers(RegisterServers command) {
        List<ServerEntry> servers =
                command.getServersList().stream().map(CatalogCodec::fromProto).toList();
        Set<String> ids = new HashSet<>(state.serverIds());
        Set<String> named = new HashSet<>();
        for (ServerEntry server : servers) {
            Optional<String> problem = server.problem();
            if (problem.isPresent()) {
                return new Outcome.Invalid(problem.get());
            }
            if (!named.add(server.id())) {
                return new Outcome.Invalid("server " + server.id() + " is named twice");
            }
            ids.add(server.id());
        }
        if (ids.size() > CatalogState.SERVERS_MAX) {
            return new Outcome.Invalid(
                    "a cluster has at most " + CatalogState.SERVERS_MAX + " servers, not " + ids.size());
        }
        servers.forEach(state::putServer);
        return new Outcome.Done();
    }

    private Outcome createStream(CreateStream command) {
        StreamSettings settings = CatalogCodec.fromProto(command.getSettings());
        Optional<String> problem = StreamName.problem(command.getName())
                .or(() -> StreamSettingsRules.problem(settings))
                .or(() -> command.getCreatedMs() < 0 ? Optional.of("time of creation is negative") : Optional.empty());
        if (problem.isPresent()) {
            return new Outcome.Invalid(problem.get());
        }
        Optional<StreamEntry> existing = state.stream(command.getName());
        if (existing.isPresent()) {
            return existing.get().settings().equals(settings)
                    ? new Outcome.StreamChanged(existing.get(), false)
                    : new Outcome.StreamExists(existing.get());
        }
        int available = state.serverIds().size();
        if (available < settings.replicas()) {
            return new Outcome.NotEnoughServers(settings.replicas(), available);
        }
        return createNew(command, settings);
    }

    private Outcome createNew(CreateStream command, StreamSettings settings) {
        Optional<UUID> streamId = CatalogCodec.uuid(command.getStreamId());
        Optional<UUID> groupId = CatalogCodec.uuid(command.getGroupId());
        if (streamId.isEmpty() || groupId.isEmpty()) {
            return new Outcome.Invalid("ids of stream and group must have 16 bytes");
        }
        StreamId stream = new StreamId(streamId.get());
        GroupId group = new GroupId(groupId.get());
        if (state.stream(stream).isPresent()
                || state.group(group).isPresent()
                || state.tombstones().containsKey(group)) {
            return new Outcome.Invalid("id of stream or group is in use");
        }
        StreamEntry entry = new StreamEntry(
                command.getName(), stream, group, settings, command.getCreatedMs(), false, FIRST_REVISION);
        List<String> replicas = Placement.choose(group, state.serverIds(), state.replicaCounts(), settings.replicas());
        if (state.streamCount() >= CatalogState.STREAMS_MAX) {
            return new Outcome.Invalid("the cluster has " + CatalogState.STREAMS_MAX + " streams, which is its limit");
        }
        if (isTooMuch(CatalogState.streamBytes(entry) + CatalogState.groupBytes(replicas))) {
            return full();
        }
        state.addStream(entry, replicas);
        return new Outcome.StreamChanged(entry, true);
    }

    private Outcome updateStream(UpdateStream command) {
        Optional<StreamEntry> found = state.stream(command.getName());
        if (found.isEmpty()) {
            return new Outcome.UnknownStream();
        }
        StreamEntry before = found.get();
        if (command.hasExpectedRevision() && command.getExpectedRevision() != before.revision()) {
            return new Outcome.RevisionConflict(command.getExpectedRevision(), before.revision());
        }
        Map<String, String> set = CatalogCodec.fromProto(command.getSetLabelsList());
        if (command.getRemoveLabelsList().stream().anyMatch(set::containsKey)) {
            return new Outcome.Invalid("a label is to be set and removed");
        }
        NavigableMap<String, String> labels = new TreeMap<>(before.settings().labels());
        command.getRemoveLabelsList().forEach(labels::remove);
        labels.putAll(set);
        int maxRecordBytes = command.hasMaxRecordBytes()
                ? command.getMaxRecordBytes()
                : before.settings().maxRecordBytes();
        StreamSettings settings = new StreamSettings(before.settings().replicas(), maxRecordBytes, labels);
        Optional<String> problem = StreamSettingsRules.problem(settings);
        if (problem.isPresent()) {
            return new Outcome.Invalid(problem.get());
        }
        if (settings.equals(before.settings())) {
            return new Outcome.StreamChanged(before, false);
        }
        return replace(before, settings, before.sealed());
    }

    private Outcome replace(StreamEntry before, StreamSettings settings, boolean sealed) {
        StreamEntry after = new StreamEntry(
                before.name(),
                before.id(),
                before.group(),
                settings,
                before.createdMs(),
                sealed,
                before.revision() + 1);
        long growth = CatalogState.streamBytes(after) - CatalogState.streamBytes(before);
        if (growth > 0 && isTooMuch(growth)) {
            return full();
        }
        state.replaceStream(after);
        return new Outcome.StreamChanged(after, true);
    }

    private Outcome deleteStream(DeleteStream command) {
        Optional<StreamEntry> found = state.stream(command.getName())
                .filter(stream -> command.getStreamId().isEmpty() || hasId(stream, command.getStreamId()));
        if (found.isEmpty()) {
            return new Outcome.UnknownStream();
        }
        state.removeStream(found.get());
        return new Outcome.StreamChanged(found.get(), true);
    }

    private static boolean hasId(StreamEntry stream, ByteString id) {
        return CatalogCodec.bytes(stream.id().value()).equals(id);
    }

    private Outcome confirmGroupRemoved(ConfirmGroupRemoved command) {
        Optional<UUID> group = CatalogCodec.uuid(command.getGroupId());
        if (group.isEmpty()) {
            return new Outcome.Invalid("id of group must have 16 bytes");
        }
        state.confirmRemoved(new GroupId(group.get()), command.getServerId());
        return new Outcome.Done();
    }

    private Outcome markSealed(MarkSealed command) {
        Optional<StreamEntry> found =
                CatalogCodec.uuid(command.getStreamId()).flatMap(id -> state.stream(new StreamId(id)));
        if (found.isEmpty()) {
            return new Outcome.UnknownStream();
        }
        StreamEntry stream = found.get();
        return stream.sealed() ? new Outcome.StreamChanged(stream, false) : replace(stream, stream.settings(), true);
    }

    private boolean isTooMuch(long moreBytes) {
        return state.bytes() + moreBytes > CatalogState.BYTES_MAX;
    }

    private static Outcome full() {
        return new Outcome.Invalid("the catalog has reached its limit of " + CatalogState.BYTES_MAX
                + " bytes: delete streams, or use shorter names and fewer labels");
    }
}
