package tidemark.server.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The parts that decide without acting. */
class PoliciesTest {
    private static final RaftSettings SETTINGS = RaftSettings.DEFAULT;

    @Test
    void journalKeepsAboutItsBytesAndNeverPurgesBeyondTheCheckpoint() {
        int bytesKept = 1_000_000;
        JournalTail tail = new JournalTail(bytesKept, -1);
        int entryBytes = 10_000 - JournalTail.ENTRY_COST;
        for (int index = 0; index < 500; index++) {
            tail.add(index, entryBytes);
        }
        long purged = tail.purgeable(450);
        long kept = (499 - purged) * 10_000L;
        assertThat(kept).isBetween((long) bytesKept, bytesKept + bytesKept / 16L);
        assertThat(tail.purgeable(450)).isEqualTo(purged);

        JournalTail none = new JournalTail(0, -1);
        for (int index = 0; index < 500; index++) {
            none.add(index, entryBytes);
        }
        assertThat(none.purgeable(450)).isEqualTo(450);
        assertThat(none.purgeable(499)).isEqualTo(499);
    }

    @Test
    void journalTellsNothingBelowTheCheckpointOfTheStart() {
        JournalTail tail = new JournalTail(0, 100);
        tail.add(99, 10);
        assertThat(tail.purgeable(100)).isEqualTo(JournalTail.NOTHING);
        tail.add(100, 10);
        assertThat(tail.purgeable(100)).isEqualTo(100);
    }

    @Test
    void tinyEntriesCountWithWhatTheyCostInMemory() {
        JournalTail tail = new JournalTail(1_000_000, -1);
        for (int index = 0; index < 100_000; index++) {
            tail.add(index, 1);
        }
        assertThat(99_999 - tail.purgeable(99_999)).isLessThan(3_000);
    }

    @Test
    void checkpointIsDueByBytesEntriesTimeOrReclaimableSpaceButNeverWithoutChange() {
        long interval = SETTINGS.checkpointInterval().toNanos();
        CheckpointState state = new CheckpointState(SETTINGS, 0);
        assertThat(state.due(false, Long.MAX_VALUE, Long.MAX_VALUE, 1, interval))
                .isFalse();
        assertThat(state.due(true, 1, 1, 0, 1)).isFalse();
        assertThat(state.due(true, SETTINGS.checkpointBytes(), 1, 0, 1)).isTrue();
        assertThat(state.due(true, 1, CheckpointState.ENTRIES_MAX, 0, 1)).isTrue();
        assertThat(state.due(true, 1, 1, 0, interval)).isTrue();
        assertThat(state.due(true, 1, 1, 1, CheckpointState.RECLAIM_AFTER.toNanos()))
                .isTrue();
        assertThat(state.due(true, 1, 1, 1, CheckpointState.RECLAIM_AFTER.toNanos() - 1))
                .isFalse();
        state.asked(SETTINGS.checkpointBytes(), 7, interval);
        assertThat(state.due(true, SETTINGS.checkpointBytes() + 1, 8, 0, interval + 1))
                .isFalse();
    }

    @Test
    @Timeout(60)
    void signalBeforeTheWaitIsNotLost() throws Exception {
        PromptAppender.KeptSignal signal = new PromptAppender.KeptSignal("test");
        signal.signal();
        signal.signal();
        assertThat(signal.await(1, TimeUnit.HOURS)).isTrue();
        assertThat(signal.await(1, TimeUnit.MILLISECONDS)).isFalse();
        signal.signal();
        signal.await();
    }

    @Test
    void settingsThatAcknowledgeBeforeTheSyncAreRefused() {
        RaftProperties properties = new RaftProperties();
        RatisProperties.requireDurable(properties);
        RaftServerConfigKeys.Log.setAsyncFlushEnabled(properties, true);
        assertThatThrownBy(() -> RatisProperties.requireDurable(properties)).isInstanceOf(IllegalStateException.class);
        RaftServerConfigKeys.Log.setAsyncFlushEnabled(properties, false);
        RaftServerConfigKeys.Log.setUnsafeFlushEnabled(properties, true);
        assertThatThrownBy(() -> RatisProperties.requireDurable(properties)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void senselessSettingsAreRefused() {
        assertThatThrownBy(() -> with(Duration.ofSeconds(2), Duration.ofSeconds(2), 1 << 20))
                .hasMessageContaining("election timeouts");
        assertThatThrownBy(() -> with(Duration.ofSeconds(1), Duration.ofSeconds(2), RaftSettings.ENTRY_BYTES_LIMIT + 1))
                .hasMessageContaining("largest entry");
    }

    private static RaftSettings with(Duration min, Duration max, int entryBytesMax) {
        return new RaftSettings(min, max, entryBytesMax, 0, 1, Duration.ofSeconds(1), Duration.ofSeconds(1));
    }
}
