package tidemark.server.raft;

import java.lang.Thread.UncaughtExceptionHandler;
import org.apache.ratis.metrics.MetricRegistries;
import org.apache.ratis.util.ExitUtils;
import org.jspecify.annotations.Nullable;

/** What Ratis does to the whole process, and should not. Undone once. */
final class RatisRuntime {
    static {
        prepareOnce();
    }

    private RatisRuntime() {}

    /** Must come before anything else of Ratis is used. */
    static void prepare() {
        // The work is done when this class is loaded.
    }

    private static void prepareOnce() {
        // Loading this Ratis class makes it the process' handler of uncaught exceptions, which calls System.exit.
        @Nullable UncaughtExceptionHandler ours = Thread.getDefaultUncaughtExceptionHandler();
        ExitUtils.disableSystemExit();
        ExitUtils.setTerminateOnUncaughtException(false);
        Thread.setDefaultUncaughtExceptionHandler(ours);
        // Without any reporter, Ratis starts one that registers dozens of JMX beans for each group.
        MetricRegistries.global().addReporterRegistration(registry -> {}, registry -> {});
    }
}
