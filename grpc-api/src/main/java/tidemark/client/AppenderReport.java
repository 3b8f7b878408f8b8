package tidemark.client;

import java.util.Optional;

/**
 * How far an {@link Appender} has come. Records are counted in the order in which they were added, so the counts say exactly
 * which ones they are: the first {@code acked}, then {@code unknown}, then {@code notWritten} or {@code waiting} ones.
 *
 * @param acked records that are stored by a majority
 * @param unknown records that may or may not be written; 0 unless the appender is broken. Those that are written form a
 *     prefix of them
 * @param notWritten records that are definitely not written, and never will be; 0 unless the appender is broken
 * @param waiting records whose outcome is still to come; 0 if the appender is broken
 * @param ackedEndOffset offset after the last acknowledged record; -1 if none
 * @param failure what broke the appender, if it is broken
 */
public record AppenderReport(
        long acked,
        long unknown,
        long notWritten,
        long waiting,
        long ackedEndOffset,
        Optional<TidemarkException> failure) {}
