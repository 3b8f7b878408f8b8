/**
 * The Java client that speaks the {@code tidemark.v1} API well: it finds leaders and follows them, retries what is safe to
 * retry, joins appends into batches, and resumes reads without gap or repeat.
 *
 * <pre>{@code
 * try (TidemarkClient client = TidemarkClient.connect("127.0.0.1:7420")) {
 *   client.createStream("orders", StreamSettings.defaults());
 *   AppendResult first = client.append("orders", LogRecord.of("hello"));
 *
 *   try (Appender appender = client.openAppender("orders")) {
 *     for (byte[] line : lines) {
 *       appender.add(LogRecord.of(line)); // pipelined; blocks only while the buffer is full
 *     }
 *     appender.flush(); // everything above is stored by a majority now, or this throws
 *   }
 *
 *   ReadOptions options = ReadOptions.from(LogPosition.offset(first.baseOffset())).toBuilder().follow(true).build();
 *   try (RecordReader reader = client.read("orders", options)) {
 *     for (StoredLogRecord record = reader.next(); record != null; record = reader.next()) {
 *       handle(record.offset(), record.record().payload());
 *     }
 *   }
 * } catch (TidemarkException.Indeterminate unknown) {
 *   // May or may not be written: only the application can decide.
 * }
 * }</pre>
 *
 * <p>Failures are {@link tidemark.client.TidemarkException}s, one subclass per kind.
 */
@NullMarked
package tidemark.client;

import org.jspecify.annotations.NullMarked;
