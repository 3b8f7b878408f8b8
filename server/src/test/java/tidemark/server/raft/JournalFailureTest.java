package tidemark.server.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static tidemark.server.raft.Cluster.GROUP;
import static tidemark.server.raft.Cluster.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tidemark.server.raft.ProposalException.Kind;
import tidemark.statemachine.model.Outcome;

/** Ratis goes on as a ghost when it cannot write its log: the host must notice, and say so. */
@Timeout(180)
class JournalFailureTest {
    @TempDir
    Path directory;

    @Test
    void journalWhoseDirectoryIsGoneStopsTheGroup() throws Exception {
        try (Cluster cluster = new Cluster(directory, 1, Cluster.purgingSettings()).start()) {
            cluster.append("a");
            Node node = cluster.leader();
            // The open segment can still be written; the next one (segments are 1 MiB here) cannot be made.
            Files.move(node.journal(GROUP), node.directory.resolve("gone"));
            appendUntilRefused(node);
            await("the failure", () -> !node.failures.isEmpty());
            assertThat(node.failures.get(0)).contains(GROUP.toString());
            assertThat(node.host().group(GROUP)).isEmpty();
        }
    }

    @Test
    void fullDiskUnderTheJournalStopsTheGroup() throws Exception {
        Path journal = Files.createDirectories(directory.resolve("s0/journal"));
        assumeTrue(
                run("mount", "-t", "tmpfs", "-o", "size=3m", "none", journal.toString()),
                "needs the right to mount a tmpfs");
        try (Cluster cluster = new Cluster(directory, 1, Cluster.settings()).start()) {
            cluster.append("a");
            Node node = cluster.leader();
            appendUntilRefused(node);
            await("the failure", () -> !node.failures.isEmpty());
            assertThat(node.failures.get(0))
                    .contains("writing the journal failed")
                    .contains(GROUP.toString());
            assertThat(node.host().problems()).isNotEmpty();
            assertThat(node.host().group(GROUP)).isEmpty();
        } finally {
            run("umount", "-l", journal.toString());
        }
    }

    /** What could not be written is never acknowledged. */
    private static void appendUntilRefused(Node node) {
        HostedGroup group = node.group(GROUP);
        await("a refusal", () -> {
            CompletableFuture<List<Outcome>> answer = group.propose(new byte[100_000]);
            try {
                answer.handle((outcomes, problem) -> true).get(60, TimeUnit.SECONDS);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
            return answer.isCompletedExceptionally()
                    && answer.handle((outcomes, problem) ->
                                            problem instanceof ProposalException p ? p.kind() : Kind.OVERLOADED)
                                    .join()
                            == Kind.CLOSED;
        });
    }

    private static boolean run(String... command) throws IOException, InterruptedException {
        try {
            return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
        } catch (IOException e) {
            return false; // no such command
        }
    }
}
