package tidemark.statemachine.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static tidemark.statemachine.catalog.CatalogFixture.SINGLE;
import static tidemark.statemachine.catalog.CatalogFixture.group;
import static tidemark.statemachine.catalog.CatalogFixture.server;
import static tidemark.statemachine.catalog.CatalogFixture.settings;
import static tidemark.statemachine.catalog.CatalogFixture.stream;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.Outcome;
import tidemark.statemachine.model.StreamEntry;
import tidemark.statemachine.model.StreamEntry.StreamSettings;
import tidemark.statemachine.model.StreamId;

/** What each command does, and what it is answered. */
class CatalogMachineTest {
    private final CatalogFixture catalog;

    CatalogMachineTest() throws Exception {
        catalog = new CatalogFixture();
    }

    @BeforeEach
    void registerThreeServers() throws Exception {
        catalog.servers(3);
    }

    private StreamEntry created(String name, int number, StreamSettings settings) throws Exception {
        return ((Outcome.StreamChanged) catalog.create(name, number, settings)).stream();
    }

    private StreamEntry entry(String name) {
        return catalog.state().stream(name).orElseThrow();
    }

    private Outcome update(
            String name, OptionalInt bytes, Map<String, String> set, Set<String> remove, OptionalLong revision)
            throws Exception {
        return catalog.apply(CatalogCommands.updateStream(name, bytes, set, remove, revision));
    }

    /** Applies a command that must be rejected, and checks that it changed nothing. */
    private Outcome rejected(byte[] command) throws Exception {
        byte[] before = CatalogFixture.payload(catalog.state());
        Outcome outcome = catalog.apply(command);
        assertThat(outcome).isInstanceOf(Outcome.Rejected.class);
        assertThat(CatalogFixture.payload(catalog.state())).isEqualTo(before);
        return outcome;
    }

    private String invalid(byte[] command) throws Exception {
        return ((Outcome.Invalid) rejected(command)).problem();
    }

    // ---- servers
    // ------------------------------------------------------------------------------------------------------------------

    @Test
    void serversAreAddedAndTheirAddressesChanged() throws Exception {
        ServerEntry moved = new ServerEntry("n2", "elsewhere", 1, 65_535);
        assertThat(catalog.apply(CatalogCommands.registerServers(List.of(moved, server(4)))))
                .isEqualTo(new Outcome.Done());
        assertThat(catalog.state().servers().values()).containsExactly(server(1), moved, server(3), server(4));
    }

    @Test
    void registeringAgainChangesNothing() throws Exception {
        byte[] before = CatalogFixture.payload(catalog.state());
        assertThat(catalog.apply(CatalogCommands.registerServers(List.of(server(3), server(1)))))
                .isEqualTo(new Outcome.Done());
        assertThat(CatalogFixture.payload(catalog.state())).isEqualTo(before);
    }

    @Test
    void malformedServersAreInvalidAndTheGoodOnesBesideThemAreNotTaken() throws Exception {
        for (ServerEntry bad : List.of(
                new ServerEntry("", "h", 1, 1),
                new ServerEntry("a/b", "h", 1, 1),
                new ServerEntry("x".repeat(64), "h", 1, 1),
                new ServerEntry("x", "", 1, 1),
                new ServerEntry("x", "h".repeat(256), 1, 1),
                new ServerEntry("x", "h", 0, 1),
                new ServerEntry("x", "h", 1, 65_536),
                new ServerEntry("x", "h", -1, 1),
                server(9))) {
            assertThat(invalid(CatalogCommands.registerServers(List.of(server(9), bad))))
                    .isNotEmpty();
        }
    }

    @Test
    void moreServersThanTheLimitAreInvalid() throws Exception {
        catalog.servers(CatalogState.SERVERS_MAX);
        assertThat(invalid(CatalogCommands.registerServers(List.of(server(65)))))
                .contains("at most 64 servers");
        assertThat(catalog.apply(CatalogCommands.registerServers(List.of(server(64)))))
                .isEqualTo(new Outcome.Done());
    }

    // ---- create
    // -------------------------------------------------------------------------------------------------------------------

    @Test
    void createdStreamIsFoundByNameIdAndGroup() throws Exception {
        StreamEntry stream = created("orders", 1, settings(3));
        assertThat(stream).isEqualTo(new StreamEntry("orders", stream(1), group(1), settings(3), 1_001, false, 1));
        assertThat(catalog.state().stream("orders")).contains(stream);
        assertThat(catalog.state().stream(stream(1))).contains(stream);
        assertThat(catalog.state().replicas(group(1))).containsExactlyInAnyOrder("n1", "n2", "n3");
        assertThat(catalog.state().group(group(1)).orElseThrow().streams()).containsExactly(stream(1));
        assertThat(catalog.state().groups()).hasSize(1);
        assertThat(catalog.state().streamCount()).isEqualTo(1);
        assertThat(catalog.state().replicaCount("n1")).isEqualTo(1);
        assertThat(catalog.state().replicaCount("nobody")).isZero();
    }

    @Test
    void creatingAgainWithTheSameSettingsGivesTheExistingOne() throws Exception {
        StreamEntry stream = created("orders", 1, settings(3));
        assertThat(catalog.create("orders", 2, settings(3))).isEqualTo(new Outcome.StreamChanged(stream, false));
        assertThat(catalog.state().group(group(2))).isEmpty();
    }

    @Test
    void creatingAgainWithOtherSettingsIsAConflict() throws Exception {
        StreamEntry stream = created("orders", 1, settings(3));
        assertThat(rejected(CatalogCommands.createStream("orders", stream(2), group(2), settings(1), 5)))
                .isEqualTo(new Outcome.StreamExists(stream));
    }

    @Test
    void moreReplicasThanServersAreRefused() throws Exception {
        assertThat(rejected(CatalogCommands.createStream("a", stream(1), group(1), settings(5), 5)))
                .isEqualTo(new Outcome.NotEnoughServers(5, 3));
    }

    @Test
    void usedIdsAreInvalidAlsoThoseOfTombstones() throws Exception {
        created("a", 1, SINGLE);
        assertThat(invalid(CatalogCommands.createStream("b", stream(1), group(2), SINGLE, 5)))
                .contains("in use");
        assertThat(invalid(CatalogCommands.createStream("b", stream(2), group(1), SINGLE, 5)))
                .contains("in use");
        catalog.apply(CatalogCommands.deleteStream("a", Optional.empty()));
        assertThat(invalid(CatalogCommands.createStream("b", stream(2), group(1), SINGLE, 5)))
                .contains("in use");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "../x", "a//b", "a/", "/a", ".hidden", "a b", "a\0", "é"})
    void badNamesAreInvalid(String name) throws Exception {
        assertThat(invalid(CatalogCommands.createStream(name, stream(1), group(1), SINGLE, 5)))
                .contains("stream name");
    }

    @Test
    void badSettingsAreInvalid() throws Exception {
        for (StreamSettings bad : List.of(
                new StreamSettings(0, 1, new TreeMap<>()),
                new StreamSettings(2, 1, new TreeMap<>()),
                new StreamSettings(7, 1, new TreeMap<>()),
                new StreamSettings(-1, 1, new TreeMap<>()),
                new StreamSettings(1, 0, new TreeMap<>()),
                new StreamSettings(1, 1_000_001, new TreeMap<>()),
                new StreamSettings(1, 1, new TreeMap<>(Map.of("", "v"))))) {
            assertThat(invalid(CatalogCommands.createStream("a", stream(1), group(1), bad, 5)))
                    .isNotEmpty();
        }
        assertThat(invalid(CatalogCommands.createStream("a", stream(1), group(1), SINGLE, -1)))
                .contains("negative");
    }

    @Test
    void replicasSpreadOverServers() throws Exception {
        catalog.servers(5);
        for (int i = 0; i < 50; i++) {
            created("s" + i, i, settings(3));
        }
        for (int i = 1; i <= 5; i++) {
            assertThat(catalog.state().replicaCount("n" + i)).isEqualTo(30);
        }
    }

    @Test
    void newServerTakesNewGroupsFirst() throws Exception {
        for (int i = 0; i < 6; i++) {
            created("s" + i, i, settings(1));
        }
        catalog.servers(4);
        created("t", 100, settings(1));
        assertThat(catalog.state().replicas(group(100))).containsExactly("n4");
    }

    @Test
    void equalServersAreChosenInTurnByGroupId() {
        var servers = new TreeSet<>(Set.of("n1", "n2", "n3"));
        List<String> first = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            first.addAll(Placement.choose(new GroupId(new UUID(0, i)), servers, Map.of(), 1));
        }
        assertThat(first).containsExactly("n1", "n2", "n3");
        assertThat(Placement.choose(new GroupId(new UUID(0, 2)), servers, Map.of("n3", 1), 2))
                .containsExactly("n1", "n2");
        assertThat(Placement.choose(new GroupId(new UUID(-1, 0)), servers, Map.of(), 3))
                .hasSize(3);
    }

    // ---- update
    // -------------------------------------------------------------------------------------------------------------------

    @Test
    void updateChangesWhatItNames() throws Exception {
        created("a", 1, SINGLE);
        Outcome outcome = update("a", OptionalInt.of(5), Map.of("x", "1"), Set.of("team"), OptionalLong.of(1));
        StreamSettings expected = new StreamSettings(1, 5, new TreeMap<>(Map.of("x", "1")));
        StreamEntry after = new StreamEntry("a", stream(1), group(1), expected, 1_001, false, 2);
        assertThat(outcome).isEqualTo(new Outcome.StreamChanged(after, true));
        assertThat(entry("a")).isEqualTo(after);
        assertThat(catalog.state().stream(stream(1))).contains(after);
    }

    @Test
    void updateToTheSameKeepsTheRevision() throws Exception {
        StreamEntry before = created("a", 1, SINGLE);
        Outcome outcome = update("a", OptionalInt.of(1_000), Map.of("team", "a"), Set.of("none"), OptionalLong.empty());
        assertThat(outcome).isEqualTo(new Outcome.StreamChanged(before, false));
    }

    @Test
    void updateAtAnotherRevisionIsAConflict() throws Exception {
        created("a", 1, SINGLE);
        byte[] command = CatalogCommands.updateStream("a", OptionalInt.of(5), Map.of(), Set.of(), OptionalLong.of(7));
        assertThat(rejected(command)).isEqualTo(new Outcome.RevisionConflict(7, 1));
    }

    @Test
    void updateOfAnUnknownStreamIsRejected() throws Exception {
        byte[] command = CatalogCommands.updateStream("a", OptionalInt.of(5), Map.of(), Set.of(), OptionalLong.empty());
        assertThat(rejected(command)).isEqualTo(new Outcome.UnknownStream());
    }

    @Test
    void badUpdatesAreInvalid() throws Exception {
        created("a", 1, SINGLE);
        OptionalLong any = OptionalLong.empty();
        OptionalInt same = OptionalInt.empty();
        assertThat(invalid(CatalogCommands.updateStream("a", OptionalInt.of(0), Map.of(), Set.of(), any)))
                .contains("max_record_bytes");
        assertThat(invalid(CatalogCommands.updateStream("a", same, Map.of("k", "v"), Set.of("k"), any)))
                .contains("set and removed");
        assertThat(invalid(CatalogCommands.updateStream("a", same, Map.of("k", "v".repeat(256)), Set.of(), any)))
                .contains("255");
        Map<String, String> many = new TreeMap<>();
        for (int i = 0; i < 32; i++) {
            many.put("k" + i, "v");
        }
        assertThat(invalid(CatalogCommands.updateStream("a", same, many, Set.of(), any)))
                .contains("at most 32 labels");
        assertThat(update("a", same, many, Set.of("team"), any)).isInstanceOf(Outcome.StreamChanged.class);
    }

    // ---- delete
    // -------------------------------------------------------------------------------------------------------------------

    @Test
    void deletedNameIsFreeAtOnceAndTheGroupLeavesATombstone() throws Exception {
        StreamEntry stream = created("a", 1, settings(3));
        assertThat(catalog.apply(CatalogCommands.deleteStream("a", Optional.empty())))
                .isEqualTo(new Outcome.StreamChanged(stream, true));
        assertThat(catalog.state().stream("a")).isEmpty();
        assertThat(catalog.state().stream(stream(1))).isEmpty();
        assertThat(catalog.state().replicas(group(1))).isEmpty();
        assertThat(catalog.state().replicaCount("n1")).isZero();
        assertThat(catalog.state().tombstones()).isEqualTo(Map.of(group(1), Set.of("n1", "n2", "n3")));
        assertThat(created("a", 2, settings(3)).id()).isEqualTo(stream(2));
    }

    @Test
    void deleteOfAnotherIdOrNameIsRejected() throws Exception {
        created("a", 1, SINGLE);
        assertThat(rejected(CatalogCommands.deleteStream("a", Optional.of(stream(2)))))
                .isEqualTo(new Outcome.UnknownStream());
        assertThat(rejected(CatalogCommands.deleteStream("b", Optional.empty())))
                .isEqualTo(new Outcome.UnknownStream());
        assertThat(catalog.apply(CatalogCommands.deleteStream("a", Optional.of(stream(1)))))
                .isInstanceOf(Outcome.StreamChanged.class);
    }

    @Test
    void tombstoneGoesWithItsLastServer() throws Exception {
        created("a", 1, settings(3));
        catalog.apply(CatalogCommands.deleteStream("a", Optional.empty()));
        for (String server : List.of("n1", "n1", "nobody", "n3")) {
            assertThat(catalog.apply(CatalogCommands.confirmGroupRemoved(group(1), server)))
                    .isEqualTo(new Outcome.Done());
        }
        assertThat(catalog.state().tombstones()).isEqualTo(Map.of(group(1), Set.of("n2")));
        catalog.apply(CatalogCommands.confirmGroupRemoved(group(1), "n2"));
        assertThat(catalog.state().tombstones()).isEmpty();
        assertThat(catalog.apply(CatalogCommands.confirmGroupRemoved(group(1), "n2")))
                .isEqualTo(new Outcome.Done());
        assertThat(catalog.state().bytes()).isZero();
    }

    @Test
    void confirmingALiveGroupHarmsNothing() throws Exception {
        created("a", 1, settings(3));
        catalog.apply(CatalogCommands.confirmGroupRemoved(group(1), "n1"));
        assertThat(catalog.state().replicas(group(1))).hasSize(3);
    }

    // ---- seal, barrier, entries
    // ---------------------------------------------------------------------------------------------------

    @Test
    void sealedStaysSealed() throws Exception {
        created("a", 1, SINGLE);
        StreamEntry sealed = new StreamEntry("a", stream(1), group(1), SINGLE, 1_001, true, 2);
        assertThat(catalog.apply(CatalogCommands.markSealed(stream(1))))
                .isEqualTo(new Outcome.StreamChanged(sealed, true));
        assertThat(catalog.apply(CatalogCommands.markSealed(stream(1))))
                .isEqualTo(new Outcome.StreamChanged(sealed, false));
        assertThat(rejected(CatalogCommands.markSealed(stream(2)))).isEqualTo(new Outcome.UnknownStream());
        update("a", OptionalInt.of(7), Map.of(), Set.of(), OptionalLong.empty());
        assertThat(entry("a").sealed()).isTrue();
    }

    @Test
    void eachCommandOfAnEntryHasItsOutcomeAndARejectedOneDoesNotStopTheNext() throws Exception {
        byte[] joined = CatalogCommands.join(List.of(
                CatalogCommands.barrier(),
                CatalogCommands.createStream("bad name", stream(1), group(1), SINGLE, 5),
                CatalogCommands.createStream("good", stream(1), group(1), SINGLE, 5)));
        List<Outcome> outcomes = catalog.applyAll(joined);
        assertThat(outcomes).hasSize(3);
        assertThat(outcomes.get(0)).isEqualTo(new Outcome.Done());
        assertThat(outcomes.get(1)).isInstanceOf(Outcome.Invalid.class);
        assertThat(outcomes.get(2)).isInstanceOf(Outcome.StreamChanged.class);
    }

    // ---- reading
    // ------------------------------------------------------------------------------------------------------------------

    @Test
    void listGoesByPrefixAndPage() throws Exception {
        int number = 0;
        for (String name : List.of("b/1", "a/2", "a/1", "a", "a/3", "ab", "c")) {
            created(name, number++, SINGLE);
        }
        assertThat(names("", "", 100)).containsExactly("a", "a/1", "a/2", "a/3", "ab", "b/1", "c");
        assertThat(names("a/", "", 2)).containsExactly("a/1", "a/2");
        assertThat(names("a/", "a/2", 2)).containsExactly("a/3");
        assertThat(names("a/", "a", 9)).containsExactly("a/1", "a/2", "a/3");
        assertThat(names("a/", "b", 9)).isEmpty();
        assertThat(names("a", "a", 9)).containsExactly("a/1", "a/2", "a/3", "ab");
        assertThat(names("", "b/1", 9)).containsExactly("c");
        assertThat(names("x", "", 9)).isEmpty();
        assertThat(names("", "", 0)).isEmpty();
    }

    private List<String> names(String prefix, String after, int limit) {
        return catalog.state().list(prefix, after, limit).stream()
                .map(StreamEntry::name)
                .toList();
    }

    @Test
    void whatIsReadCannotBeChanged() throws Exception {
        created("a", 1, settings(3));
        assertThatThrownBy(() -> catalog.state().servers().clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> catalog.state().groups().clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> catalog.state().tombstones().clear())
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> catalog.state().replicas(group(1)).clear())
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> entry("a").settings().labels().clear())
                .isInstanceOf(UnsupportedOperationException.class);
    }

    // ---- limits
    // -------------------------------------------------------------------------------------------------------------------

    @Test
    void streamsAreLimited() throws Exception {
        StreamSettings plain = new StreamSettings(1, 1, new TreeMap<>());
        for (int i = 0; i < CatalogState.STREAMS_MAX; i++) {
            catalog.create("s" + i, i, plain);
        }
        assertThat(catalog.state().streamCount()).isEqualTo(CatalogState.STREAMS_MAX);
        assertThat(invalid(CatalogCommands.createStream("more", stream(100_000), group(100_000), plain, 5)))
                .contains("100000 streams");
        catalog.apply(CatalogCommands.deleteStream("s5", Optional.empty()));
        assertThat(catalog.create("more", 100_000, plain)).isInstanceOf(Outcome.StreamChanged.class);
    }

    @Test
    void bytesAreLimitedSoThatACheckpointFits() throws Exception {
        Map<String, String> large = new TreeMap<>();
        for (int i = 0; i < StreamSettingsRules.LABELS_MAX; i++) {
            large.put(String.format("%063d", i), "v".repeat(255));
        }
        StreamSettings settings = new StreamSettings(3, 1_000_000, new TreeMap<>(large));
        int count = 0;
        Outcome last = new Outcome.Done();
        while (!(last instanceof Outcome.Invalid)) {
            last = catalog.create(longName(count), count, settings);
            count++;
        }
        assertThat(((Outcome.Invalid) last).problem()).contains("limit of 50331648 bytes");
        int payload = CatalogFixture.payload(catalog.state()).length;
        assertThat(catalog.state().bytes()).isBetween((long) payload, (long) CatalogState.BYTES_MAX);
        assertThat(payload).as("the bound is not far off").isGreaterThan(CatalogState.BYTES_MAX / 10 * 9);
        catalog.machine().checkpoint();
        catalog.reopen();
        assertThat(catalog.state().bytes()).isBetween((long) payload, (long) CatalogState.BYTES_MAX);
        deletingIsPossibleAndFreesRoomOnceTombstonesAreGone(count, settings);
    }

    private static String longName(int number) {
        return "s" + String.format("%0254d", number);
    }

    private void deletingIsPossibleAndFreesRoomOnceTombstonesAreGone(int count, StreamSettings settings)
            throws Exception {
        StreamEntry first = catalog.state().list("", "", 1).get(0);
        catalog.apply(CatalogCommands.deleteStream(first.name(), Optional.empty()));
        for (String server : List.of("n1", "n2", "n3")) {
            catalog.apply(CatalogCommands.confirmGroupRemoved(first.group(), server));
        }
        assertThat(catalog.create(longName(count), count, settings)).isInstanceOf(Outcome.StreamChanged.class);
        assertThat(invalid(CatalogCommands.createStream(
                        longName(count + 1), stream(count + 1), group(count + 1), settings, 5)))
                .contains("limit of 50331648 bytes");
        StreamId sealed = catalog.state().list("", "", 1).get(0).id();
        assertThat(catalog.apply(CatalogCommands.markSealed(sealed))).isInstanceOf(Outcome.StreamChanged.class);
    }
}
