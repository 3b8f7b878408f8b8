package tidemark.server.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BatchPolicyTest {
    private static final BatchLimits LIMITS = new BatchLimits(4, 1000, 5, 10_000, 10_000);

    @ParameterizedTest(name = "{0}: {1} of {3} bytes each, {2} in flight: {4}")
    @CsvSource({
        "nothing waits: nothing is sent,                  0, 0, 10,   0",
        "an idle group sends at once what waits,          1, 0, 10,   1",
        "what waits together goes together,               3, 0, 10,   3",
        "the window has room,                             2, 3, 10,   2",
        "the window is full,                              3, 4, 10,   0",
        "the window is more than full,                    3, 9, 10,   0",
        "no more commands than the limit,                 9, 0, 10,   5",
        "exactly the commands of the limit,               5, 0, 10,   5",
        "exactly the bytes of the target,                 4, 0, 250,  4",
        "one byte more than the target,                   4, 0, 251,  3",
        "a large one goes alone,                          3, 0, 5000, 1",
    })
    void table(String what, int waiting, int inFlight, int bytes, int expected) {
        List<BatchPolicy.Sized> pending = Collections.nCopies(waiting, () -> bytes);

        assertThat(BatchPolicy.take(pending, inFlight, LIMITS)).as(what).isEqualTo(expected);
    }

    @Test
    void aLargeOneDoesNotOvertakeSmallOnesBeforeIt() {
        assertThat(BatchPolicy.take(sizes(10, 10, 5000, 10), 0, LIMITS)).isEqualTo(2);
    }

    /** Whatever waits: the rules hold, and what could go is never held back. */
    @Test
    void takesAsMuchAsFitsAndNoMore() {
        Random random = new Random(20_260_101);
        for (int round = 0; round < 2_000; round++) {
            int[] sizes = random.ints(random.nextInt(12), 1, 700).toArray();
            int inFlight = random.nextInt(6);

            int taken = BatchPolicy.take(sizes(sizes), inFlight, LIMITS);

            if (inFlight >= LIMITS.entriesInFlight() || sizes.length == 0) {
                assertThat(taken).isZero();
                continue;
            }
            assertThat(taken).isBetween(1, Math.min(sizes.length, LIMITS.entryCommandsMax()));
            long bytes = IntStream.of(sizes).limit(taken).sum();
            assertThat(taken == 1 || bytes <= LIMITS.entryBytesTarget()).isTrue();
            boolean nextFits = taken < sizes.length
                    && taken < LIMITS.entryCommandsMax()
                    && bytes + sizes[taken] <= LIMITS.entryBytesTarget();
            assertThat(nextFits).as("room was left for one more: %s", sizes).isFalse();
        }
    }

    private static List<BatchPolicy.Sized> sizes(int... bytes) {
        return IntStream.of(bytes)
                .<BatchPolicy.Sized>mapToObj(each -> () -> each)
                .toList();
    }
}
