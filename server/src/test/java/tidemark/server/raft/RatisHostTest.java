package tidemark.server.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static tidemark.server.raft.Cluster.GROUP;
import static tidemark.server.raft.Cluster.await;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.proto.RaftProtos.GroupListRequestProto;
import org.apache.ratis.proto.grpc.AdminProtocolServiceGrpc;
import org.apache.ratis.thirdparty.io.grpc.ManagedChannel;
import org.apache.ratis.thirdparty.io.grpc.Status;
import org.apache.ratis.thirdparty.io.grpc.StatusRuntimeException;
import org.apache.ratis.thirdparty.io.grpc.netty.NettyChannelBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tidemark.server.raft.ProposalException.Kind;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.Outcome;

@Timeout(180)
class RatisHostTest {
    @TempDir
    Path directory;

    @Test
    void outcomesComeBackInOrderAndAllReplicasHoldTheSame() throws Exception {
        try (Cluster cluster = new Cluster(directory, 3, Cluster.settings()).start()) {
            HostedGroup leader = cluster.leader().group(GROUP);
            List<CompletableFuture<List<Outcome>>> pending = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                pending.add(leader.propose(text("entry " + i)));
            }
            for (int i = 0; i < 200; i++) {
                Outcome outcome = pending.get(i).get(60, TimeUnit.SECONDS).get(0);
                assertThat(outcome)
                        .isInstanceOfSatisfying(
                                Outcome.Appended.class,
                                appended -> assertThat(appended.endOffset()).isEqualTo(appended.baseOffset() + 1));
                assertThat(((Outcome.Appended) outcome).baseOffset()).isEqualTo(i);
            }
            cluster.awaitSame(200);
            assertThat(cluster.nodes)
                    .allSatisfy(n -> assertThat(n.host().problems()).isEmpty());
        }
    }

    @Test
    void followerRefusesAndNamesTheLeader() throws Exception {
        try (Cluster cluster = new Cluster(directory, 3, Cluster.settings()).start()) {
            cluster.append("a");
            Node leader = cluster.leader();
            Node follower = cluster.follower();
            await(
                    "the follower knows its leader",
                    () -> follower.group(GROUP)
                            .leadership()
                            .leaderId()
                            .equals(java.util.Optional.of(leader.member.id())));
            assertThatThrownBy(() -> Cluster.result(follower.group(GROUP), text("b")))
                    .isInstanceOfSatisfying(ProposalException.class, e -> {
                        assertThat(e.kind()).isEqualTo(Kind.NOT_LEADER);
                        assertThat(e.leaderId()).contains(leader.member.id());
                    });
            cluster.awaitSame(1);
        }
    }

    @Test
    void appendsGoOnAfterTheLeaderIsGoneAndItCatchesUpWhenItIsBack() throws Exception {
        try (Cluster cluster = new Cluster(directory, 3, Cluster.settings()).start()) {
            cluster.append("before");
            Node old = cluster.leader();
            long oldTerm = old.group(GROUP).leadership().term();
            old.stop();
            cluster.append("between");
            assertThat(cluster.leader().group(GROUP).leadership().term()).isGreaterThan(oldTerm);
            cluster.start(old);
            cluster.append("after");
            cluster.awaitSame(3);
            assertThat(old.machine(GROUP).bytes()).isEqualTo(text("beforebetweenafter"));
        }
    }

    @Test
    void everythingIsThereAfterAllServersStopAndStart() throws Exception {
        try (Cluster cluster = new Cluster(directory, 3, Cluster.settings()).start()) {
            for (int i = 0; i < 20; i++) {
                cluster.append("entry " + i + "\n");
            }
            cluster.awaitSame(20);
            byte[] before = cluster.leader().machine(GROUP).bytes();
            long term = cluster.leader().group(GROUP).leadership().term();
            cluster.stopAll();
            for (Node node : cluster.nodes) {
                node.start(Cluster.settings()); // the group is on disk: nobody adds it
            }
            cluster.awaitSame(20);
            assertThat(cluster.leader().machine(GROUP).bytes()).isEqualTo(before);
            assertThat(cluster.leader().group(GROUP).leadership().term()).isGreaterThan(term);
        }
    }

    @Test
    void replayAfterALostCheckpointGivesTheSame() throws Exception {
        try (Cluster cluster = new Cluster(directory, 3, Cluster.settings()).start()) {
            for (int i = 0; i < 20; i++) {
                cluster.append("entry " + i + "\n");
            }
            cluster.awaitSame(20);
            byte[] before = cluster.leader().machine(GROUP).bytes();
            cluster.stopAll();
            for (Node node : cluster.nodes) {
                Files.delete(node.checkpointFile(GROUP)); // as if the process had been killed before the first
                cluster.start(node);
            }
            cluster.awaitSame(20);
            assertThat(cluster.leader().machine(GROUP).bytes()).isEqualTo(before);
        }
    }

    @Test
    void withoutMajorityAHandedOverProposalEndsIndeterminateAndALaterOneIsRefused() throws Exception {
        try (Cluster cluster = new Cluster(directory, 3, Cluster.settings()).start()) {
            cluster.append("a");
            Node leader = cluster.leader();
            for (Node follower : cluster.followers()) {
                follower.stop();
            }
            HostedGroup group = leader.group(GROUP);
            CompletableFuture<List<Outcome>> pending = group.propose(text("nobody else has it"));
            assertThat(kindOf(pending)).isEqualTo(Kind.INDETERMINATE);
            // It stepped down, so now it knows better than to write.
            await("the old leader refuses", () -> kindOf(group.propose(text("refused"))) == Kind.NOT_LEADER);
        }
    }

    @Test
    void proposalWithoutOutcomeEndsIndeterminateWhenItsTimeIsOver() {
        AtomicLong now = new AtomicLong();
        Proposals proposals = new Proposals(GROUP, RaftMeter.NONE, now::get, 1_000);
        Proposal early = new Proposal(org.apache.ratis.thirdparty.com.google.protobuf.ByteString.EMPTY, 0);
        Proposal late = new Proposal(org.apache.ratis.thirdparty.com.google.protobuf.ByteString.EMPTY, 500);
        proposals.add(early);
        proposals.add(late);
        now.set(1_000);
        proposals.expire();
        assertThat(kindOf(early.result())).isEqualTo(Kind.INDETERMINATE);
        assertThat(late.result()).isNotDone();
        now.set(1_500);
        proposals.expire();
        assertThat(kindOf(late.result())).isEqualTo(Kind.INDETERMINATE);
    }

    @Test
    void closingEndsWhatWaitsAndRefusesTheRest() throws Exception {
        try (Cluster cluster = new Cluster(directory, 3, Cluster.settings()).start()) {
            cluster.append("a");
            Node leader = cluster.leader();
            for (Node follower : cluster.followers()) {
                follower.stop();
            }
            HostedGroup group = leader.group(GROUP);
            CompletableFuture<List<Outcome>> pending = group.propose(text("b"));
            leader.stop();
            assertThat(kindOf(pending)).isEqualTo(Kind.INDETERMINATE);
            assertThat(kindOf(group.propose(text("c")))).isEqualTo(Kind.CLOSED);
        }
    }

    @Test
    void oversizedEntryIsRefusedAndTheLargestPasses() throws Exception {
        RaftSettings settings = Cluster.settings();
        try (Cluster cluster = new Cluster(directory, 3, settings).start()) {
            assertThat(cluster.append(new byte[settings.entryBytesMax()])).isInstanceOf(Outcome.Appended.class);
            assertThatThrownBy(() -> cluster.leader()
                            .group(GROUP)
                            .propose(new byte[settings.entryBytesMax() + 1])
                            .get())
                    .hasCauseInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("at most " + settings.entryBytesMax());
            cluster.awaitSame(1);
            cluster.stopAll();
            cluster.start(); // what was written can be read again
            cluster.awaitSame(1);
        }
    }

    @Test
    void followerLeftBehindThePurgedJournalInstallsASnapshot() throws Exception {
        try (Cluster cluster = new Cluster(directory, 3, Cluster.purgingSettings()).start()) {
            cluster.append("first");
            cluster.awaitSame(1);
            Node behind = cluster.follower();
            behind.stop();
            byte[] big = new byte[200_000];
            new Random(7).nextBytes(big);
            big[0] = 1;
            int count = 1;
            Node leader = cluster.leader();
            while (firstIndexInJournal(leader) < 30) {
                cluster.append(big);
                count++;
            }
            cluster.start(behind);
            cluster.append("last");
            cluster.awaitSame(count + 1);
            assertThat(behind.installs).hasValueGreaterThan(0);
            assertThat(behind.host().problems()).isEmpty();
            // It works on as any other: as the leader, and after a restart.
            behind.stop();
            cluster.start(behind);
            cluster.append("more");
            cluster.awaitSame(count + 2);
            assertThat(cluster.nodes).allSatisfy(n -> assertThat(n.failures).isEmpty());
        }
    }

    @Test
    void replicaGoesOnWhenItsLeaderDiesDuringAnInstallAndTheNextHasAllEntries() throws Exception {
        RaftSettings purging = Cluster.purgingSettings();
        RaftSettings keeping = Cluster.settings();
        try (Cluster cluster = new Cluster(directory, 3, keeping)) {
            Node dying = cluster.nodes.get(0);
            for (Node node : cluster.nodes) {
                cluster.start(node, node == dying ? purging : keeping);
            }
            while (cluster.leader() != dying) {
                Node other = cluster.leader();
                other.stop();
                cluster.append("elsewhere");
                cluster.start(other, keeping);
            }
            Node behind = cluster.followers().get(0);
            behind.stop();
            for (int i = 0; i < 30; i++) {
                cluster.append(new byte[100_000]);
            }
            long end = dying.machine(GROUP).applied().index();
            await("the purge", () -> firstIndexInJournal(dying) > end - 20);
            cluster.beforeManifest = () -> {
                cluster.beforeManifest = () -> {};
                stop(dying);
            };
            cluster.start(behind, keeping);
            await("the install", () -> behind.installs.get() == 1);
            cluster.append("more");
            cluster.awaitSame(cluster.leader().machine(GROUP).count());
            assertThat(behind.failures).isEmpty();
        }
    }

    private static void stop(Node node) {
        try {
            node.stop();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void brieflyAbsentFollowerNeedsNoSnapshot() throws Exception {
        RaftSettings purging = Cluster.purgingSettings();
        RaftSettings settings = new RaftSettings(
                purging.electionTimeoutMin(),
                purging.electionTimeoutMax(),
                purging.entryBytesMax(),
                64 << 20,
                purging.checkpointBytes(),
                purging.checkpointInterval(),
                purging.proposalTimeout());
        try (Cluster cluster = new Cluster(directory, 3, settings).start()) {
            cluster.append("first");
            Node behind = cluster.follower();
            behind.stop();
            Node leader = cluster.leader();
            long before = leader.checkpoints.get();
            for (int i = 0; i < 100; i++) {
                cluster.append(new byte[100_000]);
            }
            await("checkpoints", () -> leader.checkpoints.get() > before + 1);
            cluster.start(behind);
            cluster.awaitSame(101);
            assertThat(behind.installs).hasValue(0);
        }
    }

    @Test
    void machineThatBreaksStopsTheGroupAndTheListenerIsTold() throws Exception {
        try (Cluster cluster = new Cluster(directory, 1, Cluster.settings()).start()) {
            cluster.append("a");
            Node node = cluster.leader();
            HostedGroup group = node.group(GROUP);
            assertThat(kindOf(group.propose(new byte[] {NoteMachine.POISON}))).isEqualTo(Kind.INDETERMINATE);
            await("the failure", () -> !node.failures.isEmpty());
            assertThat(node.failures.get(0)).contains(GROUP.toString()).contains("cannot stomach");
            assertThat(kindOf(group.propose(text("b")))).isEqualTo(Kind.CLOSED);
            assertThat(node.host().group(GROUP)).isEmpty();
            assertThat(node.host().groups()).contains(GROUP);
            assertThat(node.host().problems()).isNotEmpty();
        }
    }

    @Test
    void removedGroupLeavesNothingBehind() throws Exception {
        try (Cluster cluster = new Cluster(directory, 3, Cluster.settings()).start()) {
            cluster.append("a");
            cluster.awaitSame(1);
            GroupId other = new GroupId(new UUID(2, 2));
            for (Node node : cluster.nodes) {
                node.host().addGroup(other, cluster.members());
            }
            for (Node node : cluster.nodes) {
                node.host().removeGroup(GROUP);
                node.host().removeGroup(GROUP); // a second time is nothing
                assertThat(node.host().groups()).containsExactly(other);
                assertThat(node.host().group(GROUP)).isEmpty();
                assertThat(node.checkpointFile(GROUP)).doesNotExist();
                try (var left = Files.list(node.journal())) {
                    assertThat(left.map(p -> p.getFileName().toString())).containsExactly(other.toString());
                }
                assertThat(node.failures).isEmpty();
            }
        }
    }

    @Test
    void interruptedRemovalIsFinishedByTheNextStart() throws Exception {
        try (Cluster cluster = new Cluster(directory, 1, Cluster.settings()).start()) {
            cluster.append("a");
            Node node = cluster.leader();
            node.stop();
            assertThat(node.checkpointFile(GROUP)).exists();
            Files.move(node.journal().resolve(GROUP.toString()), node.journal().resolve(GROUP + ".removed"));
            node.start(Cluster.settings());
            assertThat(node.host().groups()).isEmpty();
            assertThat(node.checkpointFile(GROUP)).doesNotExist();
            assertThat(node.journal().resolve(GROUP + ".removed")).doesNotExist();
        }
    }

    @Test
    void groupWhoseMembersNeverCameIntoTheJournalGetsThemWhenItIsAddedAgain() throws Exception {
        try (Cluster cluster = new Cluster(directory, 3, Cluster.settings())) {
            Node alone = cluster.nodes.get(0);
            cluster.start(alone); // no majority: nothing is ever committed
            alone.stop();
            assertThat(alone.journal(GROUP)).isDirectory();
            cluster.start();
            cluster.append("a");
            cluster.awaitSame(1);
        }
    }

    @Test
    void listenersHearOfEntriesUntilTheyAreClosed() throws Exception {
        try (Cluster cluster = new Cluster(directory, 3, Cluster.settings()).start()) {
            cluster.append("a");
            Node follower = cluster.follower();
            AtomicLong heard = new AtomicLong();
            HostedGroup.Registration registration = follower.group(GROUP).listen(heard::incrementAndGet);
            long before = heard.get();
            cluster.append("b");
            await("the listener", () -> heard.get() > before);
            cluster.awaitSame(2);
            registration.close();
            long after = heard.get();
            cluster.append("c");
            cluster.awaitSame(3);
            assertThat(heard).hasValue(after);
        }
    }

    @Test
    void takenPortIsOneClearLine() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress())) {
            Node node = new Node(
                    new RaftHost.Member("s0", "127.0.0.1", 1, taken.getLocalPort()),
                    directory,
                    Node.snapshotsOf(List.of(), () -> {}));
            assertThatThrownBy(() -> node.start(Cluster.settings()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("127.0.0.1:" + taken.getLocalPort())
                    .hasMessageContaining("in use");
        }
    }

    @Test
    void raftPortIsForServersOnly() throws Exception {
        try (Cluster cluster = new Cluster(directory, 1, Cluster.settings()).start()) {
            cluster.append("a");
            ManagedChannel channel = NettyChannelBuilder.forAddress(
                            "127.0.0.1", cluster.nodes.get(0).member.raftPort())
                    .usePlaintext()
                    .build();
            try {
                AdminProtocolServiceGrpc.AdminProtocolServiceBlockingStub admin =
                        AdminProtocolServiceGrpc.newBlockingStub(channel);
                assertThatThrownBy(() -> admin.groupList(GroupListRequestProto.getDefaultInstance()))
                        .isInstanceOfSatisfying(
                                StatusRuntimeException.class,
                                e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.PERMISSION_DENIED));
            } finally {
                channel.shutdownNow();
            }
        }
    }

    private static long firstIndexInJournal(Node node) {
        try (var files = Files.list(node.journal(GROUP))) {
            return files.map(p -> p.getFileName().toString())
                    .filter(name -> name.startsWith("log_"))
                    .map(name -> name.replace("log_inprogress_", "").replace("log_", ""))
                    .mapToLong(name -> Long.parseLong(name.split("-", -1)[0]))
                    .min()
                    .orElse(0);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Kind kindOf(CompletableFuture<List<Outcome>> future) {
        try {
            List<Outcome> outcomes = future.get(60, TimeUnit.SECONDS);
            throw new AssertionError("it was applied: " + outcomes);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ProposalException proposal) {
                return proposal.kind();
            }
            throw new AssertionError(e);
        } catch (InterruptedException | java.util.concurrent.TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
