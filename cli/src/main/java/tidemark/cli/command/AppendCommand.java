package tidemark.cli.command;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tidemark.cli.record.Cut;
import tidemark.cli.record.RecordSplitter;
import tidemark.cli.record.RecordTooLongException;
import tidemark.client.AppendResult;
import tidemark.client.Appender;
import tidemark.client.LogRecord;
import tidemark.client.TidemarkClient;
import tidemark.client.TidemarkException;

/** Appends what standard input or files hold. */
@Command(
        name = "append",
        description = {
            "Append records from standard input or files.",
            "Many are in flight at once; they stay in order. Prints how many, and their offsets. The "
                    + "input is never held as a whole."
        })
final class AppendCommand extends OnlineCommand {
    private static final String STANDARD_INPUT = "-";

    /** Limits of one append of the API, which is what a condition applies to. */
    private static final int BATCH_RECORDS_MAX = 65_536;

    private static final int BATCH_BYTES_MAX = 1 << 20;

    /** Limit of a record in a stream that has none of its own. */
    private static final int RECORD_BYTES_MAX = 1_000_000;

    /** How the input is cut. */
    private enum Per {
        LINE(Cut.LINE),
        NULL(Cut.NULL),
        FILE(Cut.NONE);

        private final Cut cut;

        Per(Cut cut) {
            this.cut = cut;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Parameters(index = "0", paramLabel = "STREAM", description = "The stream.")
    private String stream = "";

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "FILE",
            description = "Files to append, one after another; - is standard input. Default: -.")
    private List<String> files = new ArrayList<>();

    @Option(
            names = "--per",
            paramLabel = "UNIT",
            defaultValue = "line",
            description =
                    "A record for each line (without its newline; a carriage return stays), null (up to a zero byte) or "
                            + "file. Default: line.")
    private Per per = Per.LINE;

    @Option(names = "--key", paramLabel = "KEY", description = "Key of each record.")
    private @Nullable String key;

    @Option(
            names = "--header",
            paramLabel = "NAME=VALUE",
            description = "Header of each record; may be repeated, also with the same name.")
    private List<String> headers = new ArrayList<>();

    @Option(
            names = "--expected-end",
            paramLabel = "OFFSET",
            description =
                    "Append only if the stream's end is this offset, all records or none; else exit 4. At most 65,536 "
                            + "records and 1 MiB.")
    private @Nullable Long expectedEnd;

    @Override
    void prepare(OutputFormat format) {
        if (expectedEnd != null && expectedEnd < 0) {
            throw new UsageException("--expected-end: must be at least 0, is " + expectedEnd);
        }
        for (String header : headers) {
            if (header.indexOf('=') < 1) {
                throw new UsageException("--header: give NAME=VALUE instead of '" + header + "'");
            }
        }
        if (files.isEmpty()) {
            files = List.of(STANDARD_INPUT);
        }
        // All of them before the first record is sent: a mistyped second name must not leave half the work done.
        for (String file : files) {
            checkReadable(file);
        }
    }

    private static void checkReadable(String file) {
        if (file.equals(STANDARD_INPUT)) {
            return;
        }
        Path path = path(file);
        if (!Files.exists(path)) {
            throw new UsageException(file + ": no such file; nothing was appended");
        }
        if (Files.isDirectory(path)) {
            throw new UsageException(file + ": is a directory; nothing was appended");
        }
        if (!Files.isReadable(path)) {
            throw new UsageException(file + ": permission denied; nothing was appended");
        }
    }

    private static Path path(String file) {
        try {
            return Path.of(file);
        } catch (InvalidPathException e) {
            throw new UsageException("'" + file + "' is not a file name; nothing was appended");
        }
    }

    @Override
    void run(TidemarkClient client, Output output) throws Exception {
        int payloadBytesMax = payloadBytesMax(client);
        if (expectedEnd == null) {
            appendAll(client, payloadBytesMax, output);
        } else {
            appendAtOnce(client, expectedEnd, payloadBytesMax, output);
        }
    }

    /** The stream's limit, asked for so that the line that is too long can be named before anything of it is sent. */
    private int payloadBytesMax(TidemarkClient client) {
        int limit = client.getStream(stream).settings().maxRecordBytes();
        int recordBytesMax = limit == 0 ? RECORD_BYTES_MAX : limit;
        long besides = record(new byte[0]).sizeBytes();
        if (besides > recordBytesMax) {
            throw new UsageException("key and headers have " + besides + " bytes, a record of " + stream + " may have "
                    + recordBytesMax + "; nothing was appended");
        }
        return (int) (recordBytesMax - besides);
    }

    private void appendAll(TidemarkClient client, int payloadBytesMax, Output output)
            throws IOException, CommandException {
        Progress progress = new Progress(surroundings(), stream);
        Appender appender = client.openAppender(stream);
        AppendOutcome outcome = new AppendOutcome(stream, appender);
        Surroundings.Interrupts.Handle interrupts = surroundings()
                .interrupts()
                .onInterrupt(() -> surroundings().err().println(outcome.interrupted()));
        try {
            feed(payloadBytesMax, record -> {
                outcome.added(appender.add(record));
                progress.show(appender);
            });
        } catch (IOException | RecordTooLongException | TidemarkException e) {
            outcome.stoppedBy(e);
        }
        try {
            outcome.await();
        } finally {
            interrupts.close();
            progress.clear();
        }
        outcome.print(output);
    }

    private void appendAtOnce(TidemarkClient client, long end, int payloadBytesMax, Output output)
            throws IOException, RecordTooLongException {
        List<LogRecord> records = new ArrayList<>();
        long[] bytes = {0};
        feed(payloadBytesMax, record -> {
            records.add(record);
            bytes[0] += record.sizeBytes();
            if (records.size() > BATCH_RECORDS_MAX || bytes[0] > BATCH_BYTES_MAX) {
                throw new UsageException("--expected-end appends all records at once, so they may be at most "
                        + BATCH_RECORDS_MAX + " and together 1 MiB; nothing was appended");
            }
        });
        if (records.isEmpty()) {
            AppendOutcome.print(stream, 0, -1, -1, output);
            return;
        }
        AppendResult result = client.append(stream, records, OptionalLong.of(end));
        AppendOutcome.print(stream, records.size(), result.baseOffset(), result.endOffset() - 1, output);
    }

    private void feed(int payloadBytesMax, RecordSink sink) throws IOException, RecordTooLongException {
        for (String file : files) {
            if (file.equals(STANDARD_INPUT)) {
                feed(surroundings().in(), "standard input", payloadBytesMax, sink);
            } else {
                try (InputStream input = Files.newInputStream(path(file))) {
                    feed(input, file, payloadBytesMax, sink);
                }
            }
        }
    }

    private void feed(InputStream input, String name, int payloadBytesMax, RecordSink sink)
            throws IOException, RecordTooLongException {
        RecordSplitter splitter = new RecordSplitter(input, name, per.cut, payloadBytesMax);
        for (byte @Nullable [] payload = splitter.next(); payload != null; payload = splitter.next()) {
            sink.take(record(payload));
        }
    }

    private LogRecord record(byte[] payload) {
        if (key == null && headers.isEmpty()) {
            return LogRecord.ofOwned(payload);
        }
        LogRecord.Builder record = LogRecord.builder().payload(payload);
        if (key != null) {
            record.key(key);
        }
        for (String header : headers) {
            int equals = header.indexOf('=');
            record.header(
                    header.substring(0, equals), header.substring(equals + 1).getBytes(StandardCharsets.UTF_8));
        }
        return record.build();
    }

    /** Takes records one by one. */
    private interface RecordSink {
        void take(LogRecord record);
    }
}
