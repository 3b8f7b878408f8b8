package tidemark.server.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tidemark.statemachine.catalog.GroupEntry;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.StreamId;

class HostingPlanTest {
    /**
     * Groups are letters. In the catalog: {@code a@1} has a replica on server 1. Tombstones: {@code a@12} is yet to be confirmed by 1 and
     * 2. This is server 1.
     */
    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            value = {
                "nothing                                | '' | '' | '' | '' | '' | ''",
                "a missing replica is added             | a@123 | '' | '' | '' | a | ''",
                "one that was started is left alone     | a@123 | '' | a | '' | '' | ''",
                "one on other servers is not added      | a@23 | '' | '' | '' | '' | ''",
                "one that is being added is left alone  | a@1 | '' | '' | a | '' | ''",
                "an unknown one is never removed        | '' | '' | a | '' | '' | ''",
                "nor one that moved to other servers    | a@23 | '' | a | '' | '' | ''",
                "a deleted one is removed               | '' | a@123 | a | '' | '' | a",
                "also if it does not run                | '' | a@123 | '' | '' | '' | a",
                "but not twice at a time                | '' | a@123 | a | a | '' | ''",
                "a confirmed removal is done with       | '' | a@23 | '' | '' | '' | ''",
                "deleted wins over there                | a@123 | a@123 | '' | '' | '' | a",
                "many at once                           | a@1 b@1 c@2 | d@1 e@2 | b | '' | a | d",
            })
    void plan(
            String promise, String groups, String tombstones, String started, String busy, String add, String remove) {
        HostingPlan plan = HostingPlan.of(
                "1",
                words(groups).stream()
                        .map(word -> new GroupEntry(id(word), List.of(new StreamId(new UUID(1, 1))), servers(word)))
                        .toList(),
                words(tombstones).stream()
                        .collect(Collectors.toMap(HostingPlanTest::id, word -> Set.copyOf(servers(word)))),
                ids(started),
                ids(busy));
        assertThat(plan.add()).as(promise).extracting(GroupEntry::id).containsExactlyInAnyOrderElementsOf(ids(add));
        assertThat(plan.remove()).as(promise).containsExactlyInAnyOrderElementsOf(ids(remove));
    }

    private static List<String> words(String text) {
        return text.isEmpty() ? List.of() : List.of(text.split(" ", -1));
    }

    private static Set<GroupId> ids(String text) {
        return words(text).stream().map(HostingPlanTest::id).collect(Collectors.toSet());
    }

    private static GroupId id(String word) {
        return new GroupId(new UUID(0, word.charAt(0)));
    }

    private static List<String> servers(String word) {
        return Arrays.asList(word.substring(word.indexOf('@') + 1).split("", -1)).stream()
                .filter(server -> !server.isEmpty())
                .toList();
    }
}
