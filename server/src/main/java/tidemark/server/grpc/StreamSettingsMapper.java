package tidemark.server.grpc;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import tidemark.server.catalog.Catalog;
import tidemark.statemachine.catalog.StreamSettingsRules;
import tidemark.statemachine.model.StreamEntry;
import tidemark.v1.CreateStreamRequest;
import tidemark.v1.StreamSettings;
import tidemark.v1.UpdateStreamRequest;

/** Settings of streams, from requests to what the catalog has, and back. Refuses what breaks a rule. */
final class StreamSettingsMapper {
    private StreamSettingsMapper() {}

    /** @param servers of the cluster */
    static StreamEntry.StreamSettings toCreate(CreateStreamRequest request, int servers) {
        StreamSettings asked = request.getSettings();
        String name = request.getName();
        if (asked.getReplicas() < 0 || asked.getReplicas() > StreamSettingsRules.REPLICAS_MAX) {
            throw Errors.invalidField(
                    name,
                    "settings.replicas",
                    "must be odd and 1 to " + StreamSettingsRules.REPLICAS_MAX + ", or 0 for the default");
        }
        StreamEntry.StreamSettings settings = StreamSettingsRules.resolve(
                asked.getReplicas(), asked.getMaxRecordBytes(), asked.getLabelsMap(), servers);
        refuse(name, "settings.max_record_bytes", StreamSettingsRules.problem(settings.maxRecordBytes()));
        refuse(name, "settings.labels", StreamSettingsRules.problem(settings.labels()));
        refuse(name, "settings.replicas", StreamSettingsRules.problem(settings));
        if (settings.replicas() > servers) {
            throw Errors.notEnoughServers(name, settings.replicas(), servers);
        }
        return settings;
    }

    static Catalog.Update toUpdate(UpdateStreamRequest request) {
        String name = request.getName();
        Map<String, String> set = request.getSetLabelsMap();
        Set<String> remove = new TreeSet<>(request.getRemoveLabelsList());
        OptionalInt maxRecordBytes =
                request.hasMaxRecordBytes() ? OptionalInt.of(request.getMaxRecordBytes()) : OptionalInt.empty();
        if (maxRecordBytes.isPresent()) {
            refuse(name, "max_record_bytes", StreamSettingsRules.problem(maxRecordBytes.getAsInt()));
        }
        refuse(name, "set_labels", StreamSettingsRules.problem(set));
        if (request.getRemoveLabelsCount() > StreamSettingsRules.LABELS_MAX) {
            throw Errors.tooLarge(
                    name, "remove_labels", request.getRemoveLabelsCount(), StreamSettingsRules.LABELS_MAX);
        }
        for (String key : remove) {
            if (set.containsKey(key)) {
                throw Errors.invalidField(name, "remove_labels", "a label is both set and removed");
            }
        }
        OptionalLong revision = Requests.atLeast(
                0, name, "expected_revision", request.hasExpectedRevision(), request.getExpectedRevision());
        return new Catalog.Update(maxRecordBytes, set, remove, revision);
    }

    static StreamSettings toProto(StreamEntry.StreamSettings settings) {
        return StreamSettings.newBuilder()
                .setReplicas(settings.replicas())
                .setMaxRecordBytes(settings.maxRecordBytes())
                .putAllLabels(settings.labels())
                .build();
    }

    private static void refuse(String stream, String field, Optional<String> problem) {
        problem.ifPresent(what -> {
            throw Errors.invalidField(stream, field, what);
        });
    }
}
