package tidemark.statemachine.env;

import java.util.SplittableRandom;

/** Runs a test with many seeds; the one that fails is in the error's message. */
public final class Seeds {
    private Seeds() {}

    /** A test that draws its inputs. */
    public interface Property {
        void test(SplittableRandom random) throws Exception;
    }

    /**
     * Runs a test with seeds from 0; with {@code -Dtidemark.seed=N} only with that one, and with {@code -Dtidemark.seeds=N} with so
     * many.
     */
    public static void forAllSeeds(int count, Property property) {
        Long only = Long.getLong("tidemark.seed");
        if (only != null) {
            run(only, property);
            return;
        }
        long seeds = Long.getLong("tidemark.seeds", count);
        for (long seed = 0; seed < seeds; seed++) {
            run(seed, property);
        }
    }

    private static void run(long seed, Property property) {
        try {
            property.test(new SplittableRandom(seed));
        } catch (Exception | AssertionError e) {
            throw new AssertionError("with -Dtidemark.seed=" + seed + ": " + e.getMessage(), e);
        }
    }
}
