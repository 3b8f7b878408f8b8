package tidemark.cli.command;

import tidemark.cli.text.Amounts;
import tidemark.client.Appender;
import tidemark.client.AppenderReport;

/** One line on the terminal that says how far an append is, redrawn a few times a second. Nothing without a terminal. */
final class Progress {
    private static final long INTERVAL_MS = 200;

    /** Records between two looks at the clock. */
    private static final int STRIDE = 64;

    private static final String CLEAR_LINE = "\r\u001b[K";

    private final Surroundings surroundings;
    private final String stream;
    private int calls;
    private long shownMs;
    private boolean shown;

    Progress(Surroundings surroundings, String stream) {
        this.surroundings = surroundings;
        this.stream = stream;
        this.shownMs = surroundings.clock().millis();
    }

    void show(Appender appender) {
        if (!surroundings.terminals().err() || ++calls % STRIDE != 0) {
            return;
        }
        long nowMs = surroundings.clock().millis();
        if (nowMs - shownMs < INTERVAL_MS) {
            return;
        }
        shownMs = nowMs;
        shown = true;
        AppenderReport report = appender.report();
        surroundings
                .err()
                .print(CLEAR_LINE + Amounts.count(report.acked(), "record") + " appended to " + stream + ", "
                        + report.waiting() + " on their way");
        surroundings.err().flush();
    }

    /** Leaves no trace on the terminal. */
    void clear() {
        if (shown) {
            surroundings.err().print(CLEAR_LINE);
            surroundings.err().flush();
        }
    }
}
