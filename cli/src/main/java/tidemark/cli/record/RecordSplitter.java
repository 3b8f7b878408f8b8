package tidemark.cli.record;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Cuts an input into payloads. Holds one buffer and one record, however long the input is; the input's own bytes decide, so no
 * character set is involved. The last record needs no end mark; an empty input has no record (but one empty record with
 * {@link Cut#NONE}).
 *
 * <p>Not safe for use by several threads. The caller closes the input.
 */
public final class RecordSplitter {
    private static final int BUFFER_BYTES = 64 * 1024;

    private final InputStream input;
    private final String name;
    private final Cut cut;
    private final int recordBytesMax;

    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int position;
    private int limit;
    private boolean ended;

    // The part of a record that came before the present buffer.
    private byte[] head = new byte[0];
    private int headBytes;

    private long records;

    /**
     * @param name of the input, for messages
     * @param recordBytesMax longest record, without its end mark
     */
    public RecordSplitter(InputStream input, String name, Cut cut, int recordBytesMax) {
        this.input = input;
        this.name = name;
        this.cut = cut;
        this.recordBytesMax = recordBytesMax;
    }

    /** The next payload, or null after the last. Waits for input only if the present buffer holds no whole record. */
    public byte @Nullable [] next() throws IOException, RecordTooLongException {
        while (!ended) {
            int end = nextMark();
            if (end >= 0) {
                byte[] record = take(end);
                position++;
                return record;
            }
            keepHead();
            if (!fill()) {
                return lastRecord();
            }
        }
        return null;
    }

    /** Where the record last begun stands, such as {@code access.log line 17}. */
    public String place() {
        return switch (cut) {
            case LINE -> name + " line " + records;
            case NULL -> name + " record " + records;
            case NONE -> name;
        };
    }

    /** Index of the next end mark in the buffer; -1 if there is none. */
    private int nextMark() {
        if (cut != Cut.NONE) {
            byte mark = cut == Cut.LINE ? (byte) '\n' : (byte) 0;
            for (int i = position; i < limit; i++) {
                if (buffer[i] == mark) {
                    return i;
                }
            }
        }
        return -1;
    }

    private byte @Nullable [] lastRecord() throws RecordTooLongException {
        ended = true;
        return headBytes > 0 || cut == Cut.NONE ? take(position) : null;
    }

    private byte[] take(int end) throws RecordTooLongException {
        records++;
        checkLength(headBytes + end - position);
        byte[] record = Arrays.copyOf(head, headBytes + end - position);
        System.arraycopy(buffer, position, record, headBytes, end - position);
        headBytes = 0;
        position = end;
        return record;
    }

    private void keepHead() throws RecordTooLongException {
        int bytes = limit - position;
        if (headBytes + bytes > recordBytesMax) {
            records++;
            checkLength(headBytes + bytes);
        }
        if (head.length < headBytes + bytes) {
            head = Arrays.copyOf(head, Math.max(head.length * 2, headBytes + bytes));
        }
        System.arraycopy(buffer, position, head, headBytes, bytes);
        headBytes += bytes;
        position = limit;
    }

    private void checkLength(int bytes) throws RecordTooLongException {
        if (bytes > recordBytesMax) {
            ended = true;
            throw new RecordTooLongException(place(), recordBytesMax);
        }
    }

    private boolean fill() throws IOException {
        int read;
        try {
            read = input.read(buffer);
        } catch (IOException e) {
            throw new IOException(name + ": cannot be read: " + e.getMessage(), e);
        }
        position = 0;
        limit = Math.max(read, 0);
        return read >= 0;
    }
}
