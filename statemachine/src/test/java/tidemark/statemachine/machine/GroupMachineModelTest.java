package tidemark.statemachine.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static tidemark.statemachine.env.Seeds.forAllSeeds;

import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import tidemark.statemachine.env.FakeFileSystem;
import tidemark.statemachine.env.FakeFileSystem.Fault;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.model.LogPosition;

/** The machine against a dumb model, and replicas against each other, through checkpoints, deaths and crashes at every place. */
class GroupMachineModelTest {
    @Test
    void machineDoesWhatTheModelDoes() {
        forAllSeeds(60, random -> {
            RandomLog log = new RandomLog(random, 3, true).add(60);
            Replica replica = new Replica(new FakeFileSystem(), log.entries());
            for (int applied = 1; applied <= log.entries().size(); applied++) {
                replica.applyUpTo(applied);
                switch (random.nextInt(12)) {
                    case 0 -> replica.machine().checkpoint();
                    case 1 -> replica.machine().sync();
                    case 2 -> {
                        replica.machine().close();
                        replica.reopen();
                        replica.applyUpTo(applied);
                    }
                    case 3 -> {
                        replica.files.killProcess();
                        replica.reopen();
                        replica.applyUpTo(applied);
                    }
                    case 4 -> {
                        replica.files.crash(random.split());
                        replica.reopen();
                        replica.applyUpTo(applied);
                    }
                    default -> {}
                }
                if (random.nextInt(4) == 0) {
                    replica.assertEquals(log.modelAfter(applied));
                }
            }
            replica.assertEquals(log.modelAfter(log.entries().size()));
        });
    }

    /** A run with checkpoints and syncs at places that depend on the seed only. */
    private static void run(Replica replica, int entries, long seed) throws StorageException {
        SplittableRandom steps = new SplittableRandom(seed);
        for (int applied = 1; applied <= entries; applied++) {
            replica.applyUpTo(applied);
            switch (steps.nextInt(5)) {
                case 0 -> replica.machine().checkpoint();
                case 1 -> replica.machine().sync();
                default -> {}
            }
        }
        replica.machine().checkpoint();
    }

    @Test
    void crashAtEveryStepLosesNothingAndReplicasStayEqualByteForByte() {
        forAllSeeds(10, random -> {
            int entries = 25;
            RandomLog log = new RandomLog(random, 2, false).add(entries);
            long seed = random.nextLong();
            Replica untroubled = new Replica(new FakeFileSystem(), log.entries());
            run(untroubled, entries, seed);
            Map<String, String> expected = untroubled.durableState();
            long steps = untroubled.files.changes();
            for (long step = 1; step <= steps; step++) {
                Replica crashed = crashedAt(step, log, entries, seed, random);
                Optional<LogPosition> durable = crashed.machine().lastCheckpoint();
                crashed.reopen();
                assertThat(crashed.machine().lastCheckpoint().orElse(LogPosition.NONE))
                        .as("what checkpoint() returned was durable")
                        .isGreaterThanOrEqualTo(durable.orElse(LogPosition.NONE));
                run(crashed, entries, seed);
                crashed.assertEquals(log.modelAfter(entries));
                assertThat(crashed.durableState()).isEqualTo(expected);
            }
        });
    }

    private static Replica crashedAt(long step, RandomLog log, int entries, long seed, SplittableRandom random)
            throws StorageException {
        FakeFileSystem files = new FakeFileSystem();
        Replica replica = new Replica(files, log.entries());
        files.cutPowerAt(step);
        try {
            run(replica, entries, seed);
        } catch (StorageException powerCut) {
            assertThat(files.powerIsCut()).as(powerCut.getMessage()).isTrue();
        }
        if (random.nextBoolean()) {
            files.crash();
        } else {
            files.crash(random.split());
        }
        return replica;
    }

    @Test
    void afterAFailureOfTheDiskTheMachineRefusesAllButReading() {
        forAllSeeds(40, random -> {
            RandomLog log = new RandomLog(random, 2, false).add(30);
            FakeFileSystem files = new FakeFileSystem();
            Replica replica = new Replica(files, log.entries());
            replica.applyUpTo(10);
            replica.machine().checkpoint();
            files.failAt(random.nextInt(1, 10), random.nextBoolean() ? Fault.NO_SPACE : Fault.INPUT_OUTPUT_ERROR);
            int applied = applyUntilFailure(replica, 30);
            files.injectNothing();
            assertRefuses(replica.machine());
            assertThat(replica.machine().applied())
                    .isEqualTo(log.entries().get(applied - 1).at());
            replica.assertEquals(log.modelAfter(applied));

            files.crash(random.split());
            replica.reopen();
            replica.applyUpTo(30);
            replica.assertEquals(log.modelAfter(30));
        });
    }

    private static int applyUntilFailure(Replica replica, int entries) {
        int applied = 10;
        try {
            while (applied < entries) {
                replica.applyUpTo(applied + 1);
                applied++;
                replica.machine().sync();
            }
            replica.machine().checkpoint();
        } catch (StorageException failure) {
            return applied;
        }
        throw new AssertionError("no failure");
    }

    private static void assertRefuses(GroupMachine machine) {
        LogPosition later = new LogPosition(1_000, 1_000_000);
        String refusal = "failed before and must be opened again from disk";
        assertThat(catchThrowable(() -> machine.apply(later, Entries.entry(1, Entries.barrier()))))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining(refusal);
        assertThat(catchThrowable(machine::sync)).hasMessageContaining(refusal);
        assertThat(catchThrowable(machine::checkpoint)).hasMessageContaining(refusal);
        assertThat(catchThrowable(() -> machine.advance(later))).hasMessageContaining(refusal);
    }
}
