package tidemark.cli.command;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import tidemark.cli.text.Json;

/** Standard output of one command: bytes, buffered until {@link #flush}. Not safe for use by several threads. */
final class Output {
    private static final int BUFFER_BYTES = 64 * 1024;

    private final BufferedOutputStream stream;
    private final OutputFormat format;

    Output(OutputStream out, OutputFormat format) {
        this.stream = new BufferedOutputStream(out, BUFFER_BYTES);
        this.format = format;
    }

    OutputFormat format() {
        return format;
    }

    boolean isJson() {
        return format == OutputFormat.JSON;
    }

    /** For bytes; do not close it. */
    OutputStream stream() {
        return stream;
    }

    /** Prints text as it is. */
    void print(String text) throws IOException {
        stream.write(text.getBytes(StandardCharsets.UTF_8));
    }

    void line(String text) throws IOException {
        print(text);
        stream.write('\n');
    }

    void line(Json json) throws IOException {
        line(json.toString());
    }

    void flush() throws IOException {
        stream.flush();
    }
}
