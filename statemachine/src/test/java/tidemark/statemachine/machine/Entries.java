package tidemark.statemachine.machine;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;
import tidemark.engine.proto.Append;
import tidemark.engine.proto.Barrier;
import tidemark.engine.proto.Command;
import tidemark.engine.proto.Entry;
import tidemark.engine.proto.OpenStream;
import tidemark.engine.proto.Seal;
import tidemark.engine.proto.Truncate;
import tidemark.statemachine.format.Batch;
import tidemark.statemachine.format.Ids;
import tidemark.statemachine.model.StreamId;

/** Makes entries for tests. */
public final class Entries {
    private Entries() {}

    public static StreamId stream(int number) {
        return new StreamId(new UUID(0xABCD, number));
    }

    /** A batch whose body is filled with bytes that depend on the seed. */
    public static Batch batch(int records, int bytes, int seed) {
        byte[] body = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            body[i] = (byte) (seed * 31 + i * 7);
        }
        return Batch.of(records, 0, bytes, ByteBuffer.wrap(body));
    }

    public static ByteBuffer entry(long timestampMs, Command... commands) {
        return bytes(Entry.newBuilder()
                .setTimestampMs(timestampMs)
                .addAllCommands(List.of(commands))
                .build());
    }

    public static ByteBuffer bytes(Entry entry) {
        return ByteBuffer.wrap(entry.toByteArray()).asReadOnlyBuffer();
    }

    public static Command open(StreamId stream) {
        return of(stream).setOpen(OpenStream.getDefaultInstance()).build();
    }

    public static Command append(StreamId stream, Batch batch) {
        return of(stream).setAppend(message(batch)).build();
    }

    public static Append.Builder message(Batch batch) {
        return Append.newBuilder()
                .setRecordCount(batch.recordCount())
                .setCompression(batch.compression())
                .setUncompressedBytes(batch.uncompressedBytes())
                .setCrc32C(batch.crc32c())
                .setBody(ByteString.copyFrom(batch.body().duplicate()));
    }

    public static Command appendIf(StreamId stream, Batch batch, long expectedEnd) {
        return of(stream).setAppend(message(batch).setExpectedEnd(expectedEnd)).build();
    }

    public static Command appendBy(StreamId stream, Batch batch, int writer, long sequence) {
        ByteString id = ByteString.copyFrom(Ids.bytes(new UUID(7, writer)));
        return of(stream)
                .setAppend(message(batch).setWriterId(id).setSequence(sequence))
                .build();
    }

    public static Command truncate(StreamId stream, long before) {
        return of(stream)
                .setTruncate(Truncate.newBuilder().setBeforeOffset(before))
                .build();
    }

    public static Command truncateIf(StreamId stream, long before, long expectedStart) {
        return of(stream)
                .setTruncate(Truncate.newBuilder().setBeforeOffset(before).setExpectedStart(expectedStart))
                .build();
    }

    public static Command seal(StreamId stream) {
        return of(stream).setSeal(Seal.getDefaultInstance()).build();
    }

    public static Command barrier() {
        return Command.newBuilder().setBarrier(Barrier.getDefaultInstance()).build();
    }

    private static Command.Builder of(StreamId stream) {
        return Command.newBuilder().setStreamId(ByteString.copyFrom(Ids.bytes(stream.value())));
    }
}
