package tidemark.server.batch;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.nio.ByteBuffer;
import java.util.List;
import tidemark.engine.proto.Append;
import tidemark.engine.proto.Barrier;
import tidemark.engine.proto.Command;
import tidemark.engine.proto.Entry;
import tidemark.engine.proto.OpenStream;
import tidemark.engine.proto.Seal;
import tidemark.engine.proto.Truncate;
import tidemark.statemachine.format.Batch;
import tidemark.statemachine.model.StreamId;

/** Forms the bytes of an entry. The body of a batch is copied once, into the entry. */
final class EntryEncoder {
    private EntryEncoder() {}

    /** An entry with one command for each operation, in order; with a barrier if there is none. */
    static byte[] encode(long timestampMs, List<? extends Operation> operations) {
        Entry.Builder entry = Entry.newBuilder().setTimestampMs(timestampMs);
        for (Operation operation : operations) {
            entry.addCommands(command(operation));
        }
        if (operations.isEmpty()) {
            entry.addCommands(Command.newBuilder().setBarrier(Barrier.getDefaultInstance()));
        }
        return entry.build().toByteArray();
    }

    private static Command command(Operation operation) {
        Command.Builder command = Command.newBuilder().setStreamId(bytes(operation.stream()));
        switch (operation.kind()) {
            case APPEND -> command.setAppend(append((Operation.Append) operation));
            case TRUNCATE -> command.setTruncate(truncate((Operation.Truncate) operation));
            case SEAL -> command.setSeal(Seal.getDefaultInstance());
            case OPEN -> command.setOpen(OpenStream.getDefaultInstance());
        }
        return command.build();
    }

    private static Truncate truncate(Operation.Truncate truncate) {
        Truncate.Builder message = Truncate.newBuilder().setBeforeOffset(truncate.beforeOffset());
        truncate.expectedStart().ifPresent(message::setExpectedStart);
        return message.build();
    }

    private static Append append(Operation.Append append) {
        Batch batch = append.batch();
        Append.Builder message = Append.newBuilder()
                .setRecordCount(batch.recordCount())
                .setCompression(batch.compression())
                .setUncompressedBytes(batch.uncompressedBytes())
                .setCrc32C(batch.crc32c())
                .setBody(UnsafeByteOperations.unsafeWrap(batch.body()));
        append.expectedEnd().ifPresent(message::setExpectedEnd);
        append.writer()
                .ifPresent(writer -> message.setWriterId(
                                ByteString.copyFrom(writer.id().duplicate()))
                        .setSequence(writer.sequence()));
        return message.build();
    }

    private static ByteString bytes(StreamId stream) {
        ByteBuffer id = ByteBuffer.allocate(16)
                .putLong(stream.value().getMostSignificantBits())
                .putLong(stream.value().getLeastSignificantBits())
                .flip();
        return UnsafeByteOperations.unsafeWrap(id);
    }
}
