package tidemark.cli.command;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import tidemark.cli.text.Amounts;
import tidemark.cli.text.Json;
import tidemark.client.AppendResult;
import tidemark.client.Appender;
import tidemark.client.AppenderReport;
import tidemark.client.TidemarkException;

/**
 * What became of the records of one append command. Used by the command's thread; only {@link #interrupted} may be called by another.
 */
final class AppendOutcome {
    private final String stream;
    private final Appender appender;
    private volatile @Nullable CompletableFuture<AppendResult> first;
    private @Nullable Exception inputFailure;

    AppendOutcome(String stream, Appender appender) {
        this.stream = stream;
        this.appender = appender;
    }

    void added(CompletableFuture<AppendResult> record) {
        if (first == null) {
            first = record;
        }
    }

    /** The input could not be read on, or the appender takes no more. */
    void stoppedBy(Exception failure) {
        inputFailure = failure;
    }

    /** Waits until it is known what became of all records that were added. */
    void await() {
        try {
            appender.close();
        } catch (TidemarkException e) {
            // The report has it, with the counts.
            if (appender.report().failure().isEmpty()) {
                throw e;
            }
        }
    }

    /** Prints what was appended; throws if that is not all. */
    void print(Output output) throws IOException, CommandException {
        AppenderReport report = appender.report();
        @Nullable TidemarkException broken = report.failure().orElse(null);
        @Nullable Failure failure = broken != null ? Failure.of(broken) : inputFailure != null ? Failure.of(inputFailure) : null;
        if (failure == null) {
            print(stream, report.acked(), firstOffset(), report.ackedEndOffset() - 1, output);
            return;
        }
        int exitCode = report.unknown() > 0 ? Exit.INDETERMINATE : failure.exitCode();
        if (output.isJson()) {
            output.line(json(stream, report.acked(), firstOffset(), report.ackedEndOffset() - 1)
                    .add("unknown", report.unknown())
                    .add("not_written", report.notWritten())
                    .add("error", failure.message()));
            output.flush();
        }
        String message = failure.message() + "; "
                + (broken == null ? "nothing after it was sent; " : "")
                + counts(report.acked(), report.unknown(), report.notWritten());
        throw new CommandException(message, exitCode, broken != null ? broken : inputFailure);
    }

    /** One line for somebody who pressed Ctrl-C. What is in flight may still be written. */
    String interrupted() {
        AppenderReport report = appender.report();
        return "tidemark: interrupted; "
                + counts(report.acked(), report.unknown() + report.waiting(), report.notWritten());
    }

    static void print(String stream, long records, long firstOffset, long lastOffset, Output output)
            throws IOException {
        if (output.isJson()) {
            output.line(json(stream, records, firstOffset, lastOffset));
            return;
        }
        output.line("appended " + Amounts.count(records, "record") + " to " + stream
                + (records == 0 ? "" : ": " + offsets(records, firstOffset, lastOffset)));
    }

    private String counts(long acknowledged, long unknown, long notWritten) {
        StringBuilder text = new StringBuilder(Amounts.count(acknowledged, "record") + " appended");
        if (acknowledged > 0) {
            text.append(" (")
                    .append(offsets(
                            acknowledged, firstOffset(), appender.report().ackedEndOffset() - 1))
                    .append(')');
        }
        if (unknown > 0) {
            text.append(", the next ").append(unknown).append(" unknown: may or may not be written");
        }
        if (notWritten > 0) {
            text.append(", ")
                    .append(notWritten)
                    .append(unknown > 0 ? " after those" : " after them")
                    .append(" not written");
        }
        return text.toString();
    }

    private static String offsets(long records, long firstOffset, long lastOffset) {
        if (firstOffset == lastOffset) {
            return "offset " + firstOffset;
        }
        String range = "offsets " + firstOffset + " to " + lastOffset;
        return lastOffset - firstOffset + 1 == records ? range : range + ", with records of others between them";
    }

    private static Json json(String stream, long records, long firstOffset, long lastOffset) {
        Json json = new Json().add("stream", stream).add("records", records);
        return records == 0 ? json : json.add("first_offset", firstOffset).add("last_offset", lastOffset);
    }

    /** -1 before the first record is acknowledged. */
    private long firstOffset() {
        @Nullable CompletableFuture<AppendResult> result = first;
        return result == null || !result.isDone() || result.isCompletedExceptionally()
                ? -1
                : result.join().baseOffset();
    }
}
