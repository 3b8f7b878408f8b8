package tidemark.server.raft;

import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tidemark.statemachine.model.GroupId;

/**
 * What went wrong for good, in the order it happened. Tells the listener of each thing once, but not of what goes wrong while the host
 * starts: whoever starts it gets that as an exception. Safe for use by many threads.
 */
final class Failures {
    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);

    /** More lines than this help nobody. */
    private static final int LINES_MAX = 100;

    private final FailureListener listener;
    private volatile boolean started;
    private final Set<String> lines = new LinkedHashSet<>();

    Failures(FailureListener listener) {
        this.listener = listener;
    }

    /** From now on the listener is told. */
    void started() {
        started = true;
    }

    void report(Optional<GroupId> group, String what, @Nullable Throwable cause) {
        String line = group.map(g -> "group " + g + ": ").orElse("")
                + what
                + (cause == null ? "" : ": " + (cause.getMessage() == null ? cause.toString() : cause.getMessage()));
        synchronized (lines) {
            if (lines.size() >= LINES_MAX || !lines.add(line)) {
                return;
            }
        }
        if (cause instanceof IOException || !started) {
            // The line says all that an operator can use; while the host starts, its caller says it.
            LOG.debug("{}", line, cause);
        }
        if (started) {
            if (cause instanceof IOException) {
                LOG.error("{}", line);
            } else {
                LOG.error("{}", line, cause);
            }
            listener.failed(group, line, cause);
        }
    }

    List<String> lines() {
        synchronized (lines) {
            return List.copyOf(lines);
        }
    }
}
