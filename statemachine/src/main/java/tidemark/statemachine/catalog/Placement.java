package tidemark.statemachine.catalog;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.stream.IntStream;
import tidemark.statemachine.model.GroupId;

/** Which servers get the replicas of a new group. Pure and deterministic: the same choice on every replica of the catalog. */
final class Placement {
    private Placement() {}

    /**
     * The servers that have the fewest replicas. Of equals those win that come first in the sorted circle of all servers, beginning at a
     * place that the group's id gives, so that groups spread also while all servers are equal.
     *
     * @param replicaCounts by server id; absent is 0
     * @param wanted at most as many as there are servers
     */
    static List<String> choose(
            GroupId group, SortedSet<String> servers, Map<String, Integer> replicaCounts, int wanted) {
        List<String> circle = List.copyOf(servers);
        long bits = group.value().getMostSignificantBits() ^ group.value().getLeastSignificantBits();
        int start = circle.isEmpty() ? 0 : Math.floorMod(bits, circle.size());
        return IntStream.range(0, circle.size())
                .mapToObj(step -> circle.get((start + step) % circle.size()))
                // Stable: equals keep the order of the circle.
                .sorted(Comparator.comparingInt(server -> replicaCounts.getOrDefault(server, 0)))
                .limit(wanted)
                .toList();
    }
}
