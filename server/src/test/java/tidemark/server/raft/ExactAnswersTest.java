package tidemark.server.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static tidemark.server.raft.Cluster.GROUP;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tidemark.server.raft.ProposalException.Kind;
import tidemark.statemachine.model.Outcome;

/**
 * Goal: what was acknowledged is there once, what was refused is not there, whatever happens to the leaders. Method: threads propose
 * unique lines to every server, also to those that do not lead, while leaders are stopped and started; at the end the replicas'
 * lines are compared with the answers.
 */
@Timeout(240)
class ExactAnswersTest {
    private static final int ROUNDS = 4;

    @TempDir
    Path directory;

    private final Map<String, CompletableFuture<List<Outcome>>> answers = new ConcurrentHashMap<>();
    private final AtomicBoolean done = new AtomicBoolean();
    private final AtomicInteger numbers = new AtomicInteger();

    @Test
    void acknowledgedIsThereOnceAndRefusedIsNotThereAcrossLeaderChanges() throws Exception {
        try (Cluster cluster = new Cluster(directory, 3, Cluster.settings()).start()) {
            cluster.append("start\n");
            List<Thread> proposers = new ArrayList<>();
            for (int t = 0; t < 3; t++) {
                Thread thread = new Thread(() -> proposeEverywhere(cluster), "proposer-" + t);
                thread.start();
                proposers.add(thread);
            }
            for (int round = 0; round < ROUNDS; round++) {
                awaitAcknowledged(acknowledged() + 50);
                Node leader = cluster.leader();
                leader.stop();
                awaitAcknowledged(acknowledged() + 50);
                cluster.start(leader);
            }
            awaitAcknowledged(acknowledged() + 50);
            done.set(true);
            for (Thread thread : proposers) {
                thread.join();
            }
            cluster.append("end\n");
            compare(cluster);
        }
    }

    private void proposeEverywhere(Cluster cluster) {
        while (!done.get()) {
            for (Node node : cluster.nodes) {
                try {
                    HostedGroup group = node.group(GROUP);
                    String line = "line " + numbers.incrementAndGet();
                    CompletableFuture<List<Outcome>> answer =
                            group.propose((line + "\n").getBytes(StandardCharsets.UTF_8));
                    answers.put(line, answer);
                    if (group.leadership().leads()) {
                        answer.handle((outcomes, problem) -> true).get(60, TimeUnit.SECONDS);
                    }
                } catch (IllegalStateException e) {
                    Thread.onSpinWait(); // stopped at the moment
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            }
            LockSupport.parkNanos(2_000_000); // refusals are fast: do not collect millions of them
        }
    }

    private int acknowledged() {
        return (int) answers.values().stream()
                .filter(a -> a.isDone() && !a.isCompletedExceptionally())
                .count();
    }

    private void awaitAcknowledged(int count) {
        Cluster.await(count + " acknowledged", () -> acknowledged() >= count);
    }

    private void compare(Cluster cluster) throws Exception {
        long count = cluster.leader().machine(GROUP).count();
        cluster.awaitSame(count);
        Map<String, Integer> lines = new HashMap<>();
        String all = new String(cluster.leader().machine(GROUP).bytes(), StandardCharsets.UTF_8);
        Arrays.stream(all.split("\n", -1)).forEach(line -> lines.merge(line, 1, Integer::sum));
        int refused = 0;
        for (Map.Entry<String, CompletableFuture<List<Outcome>>> entry : answers.entrySet()) {
            int times = lines.getOrDefault(entry.getKey(), 0);
            try {
                entry.getValue().get(60, TimeUnit.SECONDS);
                assertThat(times).as("acknowledged %s", entry.getKey()).isOne();
            } catch (ExecutionException e) {
                assertThat(e.getCause()).isInstanceOf(ProposalException.class);
                if (e.getCause() instanceof ProposalException p && p.kind() == Kind.INDETERMINATE) {
                    assertThat(times).as("indeterminate %s", entry.getKey()).isBetween(0, 1);
                } else {
                    refused++;
                    assertThat(times)
                            .as("refused %s: %s", entry.getKey(), e.getCause())
                            .isZero();
                }
            }
        }
        assertThat(refused).as("refused, or the test shows nothing").isPositive();
    }
}
