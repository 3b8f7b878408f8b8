package tidemark.server.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tidemark.server.catalog.FakeHost.FakeGroup;
import tidemark.server.catalog.Reconciler.Workers;
import tidemark.server.raft.HostedGroup;
import tidemark.server.raft.RaftHost.Member;
import tidemark.statemachine.catalog.CatalogCommands;
import tidemark.statemachine.catalog.CatalogMachine;
import tidemark.statemachine.catalog.ServerEntry;
import tidemark.statemachine.env.FakeFileSystem;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.Outcome;
import tidemark.statemachine.model.StreamEntry;
import tidemark.statemachine.model.StreamEntry.StreamSettings;
import tidemark.statemachine.model.StreamId;

/** A server's reconciler, turn by turn, on a host and a catalog in memory. This is server n1. */
class ReconcilerTest {
    private static final GroupId CATALOG = new GroupId(new UUID(7, 7));
    private static final GroupId GROUP = group(100);
    private static final StreamId STREAM = new StreamId(new UUID(0, 200));
    private static final List<Member> MEMBERS =
            List.of(new Member("n1", "h1", 1, 2), new Member("n2", "h2", 1, 2), new Member("n3", "h3", 1, 2));

    private final FakeHost host = new FakeHost();
    private final Opener opener = new Opener();
    private final Reports reports = new Reports();
    private final Queue<Runnable> work = new ArrayDeque<>();
    private FakeGroup catalogGroup;
    private RaftCatalog catalog;
    private Reconciler reconciler;
    private int wakes;
    private long ids = 99;

    ReconcilerTest() throws Exception {
        catalogGroup = host.put(CATALOG, CatalogMachine.open(new FakeFileSystem(), "manifests"));
        catalog = new RaftCatalog(host, CATALOG, MEMBERS, () -> new UUID(0, ids), () -> 1L);
        reconciler =
                new Reconciler("n1", host, catalog, opener, reports, new Workers(work::add, work::add), () -> wakes++);
    }

    @BeforeEach
    void follow() {
        catalogGroup.follow("n2", 1);
    }

    @Test
    void theCatalogsLeaderRegistersTheServersOnce() {
        catalogGroup.lead(2);
        reconciler.turn();
        reconciler.turn();
        assertThat(catalog.state().servers().values())
                .containsExactly(
                        new ServerEntry("n1", "h1", 1, 2),
                        new ServerEntry("n2", "h2", 1, 2),
                        new ServerEntry("n3", "h3", 1, 2));
        assertThat(catalog.serversRegistered()).isTrue();
    }

    @Test
    void aFollowerRegistersNothing() {
        reconciler.turn();
        assertThat(catalog.state().servers()).isEmpty();
    }

    @Test
    void aStreamCanBeCreatedBeforeTheServersAreRegistered() {
        catalogGroup.lead(2);
        ids = 500;
        CompletableFuture<Outcome> created = catalog.create("s", new StreamSettings(3, 1000, new TreeMap<>()));
        assertThat(created).isCompletedWithValueMatching(Outcome.StreamChanged.class::isInstance);
        assertThat(catalog.serversRegistered()).isTrue();
        assertThat(catalog.stream("s")).map(StreamEntry::createdMs).contains(1L);
    }

    @Test
    void aGroupWithAReplicaHereIsStartedWithItsMembers() {
        createStream();
        reconciler.turn();
        runWork();
        assertThat(host.calls).singleElement().asString().startsWith("add 100[").contains("n1", "n2", "n3");
        reconciler.turn();
        runWork();
        assertThat(host.calls).hasSize(1);
        assertThat(reconciler.settled()).isTrue();
    }

    @Test
    void aGroupThatIsBeingStartedIsNotStartedTwice() {
        createStream();
        reconciler.turn();
        reconciler.turn();
        assertThat(work).hasSize(1);
        assertThat(reconciler.settled()).isFalse();
    }

    @Test
    void aGroupFoundOnDiskIsStartedOnceMoreInCaseItHasNoMembersYet() {
        createStream();
        host.put(GROUP, catalogGroup.machine());
        reconciler.turn();
        runWork();
        reconciler.turn();
        runWork();
        assertThat(host.calls).hasSize(1);
    }

    @Test
    void aGroupThatCannotBeStartedIsTriedAgainLater() {
        createStream();
        host.cannotAdd.add(GROUP);
        for (int turn = 0; turn < 10; turn++) {
            reconciler.turn();
            runWork();
        }
        assertThat(host.calls).hasSize(1);
        assertThat(reconciler.settled()).isFalse();
        host.cannotAdd.clear();
        for (int turn = 0; turn < 10; turn++) {
            reconciler.turn();
            runWork();
        }
        assertThat(host.groups).containsKey(GROUP);
        assertThat(reconciler.settled()).isTrue();
    }

    @Test
    void aGroupThatTheCatalogDoesNotKnowIsNotTouched() {
        host.put(group(666), catalogGroup.machine());
        reconciler.turn();
        runWork();
        assertThat(host.calls).isEmpty();
        assertThat(work).isEmpty();
    }

    @Test
    void aDeletedGroupIsRemovedAndTheLeaderIsTold() {
        startedGroup();
        catalogGroup.apply(CatalogCommands.deleteStream("s", Optional.empty()));
        reconciler.turn();
        runWork();
        assertThat(host.groups).doesNotContainKey(GROUP);
        assertThat(reports.told).containsExactly("n2 " + GROUP);
        catalogGroup.apply(CatalogCommands.confirmGroupRemoved(GROUP, "n1"));
        reconciler.turn();
        assertThat(work).isEmpty();
    }

    @Test
    void theCatalogsLeaderConfirmsItsOwnRemovals() {
        startedGroup();
        catalogGroup.lead(2);
        catalogGroup.apply(CatalogCommands.deleteStream("s", Optional.empty()));
        reconciler.turn();
        runWork();
        assertThat(reports.told).isEmpty();
        assertThat(catalog.state().tombstones().get(GROUP)).containsExactly("n2", "n3");
    }

    @Test
    void aRemovalIsConfirmedOnlyWhenItIsDoneAndAsLongAsNeeded() {
        startedGroup();
        host.cannotRemove.add(GROUP);
        catalogGroup.apply(CatalogCommands.deleteStream("s", Optional.empty()));
        reconciler.turn();
        runWork();
        assertThat(reports.told).isEmpty();
        host.cannotRemove.clear();
        reports.unreachable = true;
        reconciler.turn();
        runWork();
        assertThat(host.groups).doesNotContainKey(GROUP);
        reports.unreachable = false;
        reconciler.turn();
        runWork();
        assertThat(reports.told).containsExactly("n2 " + GROUP);
    }

    @Test
    void theLeaderOfAGroupOpensItsStreamsOnce() {
        FakeGroup group = startedGroup();
        assertThat(opener.asked).isEmpty();
        int before = wakes;
        group.lead(3);
        assertThat(wakes).isGreaterThan(before);
        reconciler.turn();
        reconciler.turn();
        assertThat(opener.asked).containsExactly(STREAM);
        opener.succeed();
        reconciler.turn();
        assertThat(opener.asked).containsExactly(STREAM);
    }

    @Test
    void anOpeningWithoutOutcomeIsProposedAgain() {
        startedGroup().lead(3);
        reconciler.turn();
        opener.fail();
        reconciler.turn();
        assertThat(opener.asked).containsExactly(STREAM, STREAM);
    }

    @Test
    void appendsOfALeaderWhoseStreamsAreOpenAskForNoTurns() {
        FakeGroup group = startedGroup();
        group.lead(3);
        reconciler.turn();
        opener.succeed();
        reconciler.turn();
        int before = wakes;
        group.apply(new byte[0]);
        assertThat(wakes).isEqualTo(before);
        group.lead(4);
        assertThat(wakes).isGreaterThan(before);
    }

    @Test
    void aRemovedGroupIsListenedToNoMore() {
        FakeGroup group = startedGroup();
        assertThat(group.listeners()).isEqualTo(1);
        catalogGroup.apply(CatalogCommands.deleteStream("s", Optional.empty()));
        reconciler.turn();
        assertThat(group.listeners()).isZero();
    }

    @Test
    void membersAreThoseOfTheConfigurationAndThoseOfTheCatalog() {
        catalogGroup.apply(CatalogCommands.registerServers(
                List.of(new ServerEntry("n1", "old", 5, 6), new ServerEntry("n9", "h9", 7, 8))));
        assertThat(catalog.members()).extracting(Member::id).containsExactly("n1", "n2", "n3", "n9");
        assertThat(catalog.member("n1")).contains(MEMBERS.get(0));
        assertThat(catalog.member("n9")).contains(new Member("n9", "h9", 7, 8));
        assertThat(catalog.member("n0")).isEmpty();
    }

    @Test
    void changesAreRefusedWhereTheCatalogIsNotLed() {
        assertThat(catalog.update("s", new Catalog.Update(OptionalInt.of(1), Map.of(), Set.of(), OptionalLong.empty())))
                .isCompletedExceptionally();
        assertThat(catalog.delete("s", Optional.empty())).isCompletedExceptionally();
        assertThat(catalog.markSealed(STREAM)).isCompletedExceptionally();
    }

    private void createStream() {
        catalogGroup.apply(CatalogCommands.registerServers(MEMBERS.stream()
                .map(member -> new ServerEntry(member.id(), member.host(), member.clientPort(), member.raftPort()))
                .toList()));
        catalogGroup.apply(
                CatalogCommands.createStream("s", STREAM, GROUP, new StreamSettings(3, 1000, new TreeMap<>()), 1));
    }

    private FakeGroup startedGroup() {
        createStream();
        reconciler.turn();
        runWork();
        reconciler.turn();
        FakeGroup group = host.groups.get(GROUP);
        assertThat(group).isNotNull();
        return java.util.Objects.requireNonNull(group);
    }

    private void runWork() {
        for (Runnable next = work.poll(); next != null; next = work.poll()) {
            next.run();
        }
    }

    private static GroupId group(long number) {
        return new GroupId(new UUID(0, number));
    }

    private static final class Opener implements StreamOpener {
        private final List<StreamId> asked = new ArrayList<>();
        private final Set<StreamId> open = new HashSet<>();
        private CompletableFuture<Outcome> last = new CompletableFuture<>();

        @Override
        public boolean isOpen(HostedGroup group, StreamId stream) {
            return open.contains(stream);
        }

        @Override
        public CompletableFuture<Outcome> open(HostedGroup group, StreamId stream) {
            asked.add(stream);
            last = new CompletableFuture<>();
            return last;
        }

        void succeed() {
            open.add(asked.get(asked.size() - 1));
            last.complete(new Outcome.Done());
        }

        void fail() {
            last.completeExceptionally(new IllegalStateException("no outcome"));
        }
    }

    private static final class Reports implements RemovalReports {
        private final List<String> told = new ArrayList<>();
        private boolean unreachable;

        @Override
        public void removed(String leaderId, List<GroupId> groups) throws IOException {
            if (unreachable) {
                throw new IOException("unreachable");
            }
            groups.forEach(group -> told.add(leaderId + " " + group));
        }
    }
}
