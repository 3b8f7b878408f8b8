package tidemark.server.catalog;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tidemark.statemachine.catalog.GroupEntry;
import tidemark.statemachine.model.GroupId;

/**
 * What a server should do so that it hosts what the catalog says. Pure.
 *
 * @param add groups that have a replica here and were not started by this process yet
 * @param remove deleted groups of which something may still be here; removing one that is gone does nothing, but is confirmed
 */
record HostingPlan(List<GroupEntry> add, List<GroupId> remove) {
    /**
     * Nothing is ever removed because the catalog does not know it: this server's copy of the catalog may lag behind, or have just been
     * emptied to be fetched anew. Only a tombstone removes.
     *
     * @param groups as the catalog has them
     * @param tombstones deleted groups, with the servers that have yet to confirm
     * @param started groups that this process has started
     * @param busy what is being added or removed already
     */
    static HostingPlan of(
            String serverId,
            Collection<GroupEntry> groups,
            Map<GroupId, Set<String>> tombstones,
            Set<GroupId> started,
            Set<GroupId> busy) {
        List<GroupEntry> add = new ArrayList<>();
        for (GroupEntry group : groups) {
            if (group.replicas().contains(serverId)
                    && !started.contains(group.id())
                    && !busy.contains(group.id())
                    && !tombstones.containsKey(group.id())) {
                add.add(group);
            }
        }
        List<GroupId> remove = new ArrayList<>();
        tombstones.forEach((group, servers) -> {
            if (servers.contains(serverId) && !busy.contains(group)) {
                remove.add(group);
            }
        });
        return new HostingPlan(add, remove);
    }
}
