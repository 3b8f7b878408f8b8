package tidemark.server.raft;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.machine.Machine;
import tidemark.statemachine.model.LogPosition;
import tidemark.statemachine.model.Outcome;

/**
 * A machine for tests: notes the entries one after the other. Its checkpoint is one file: term, index, number of entries, bytes of all
 * entries. An entry that begins with {@link #POISON} breaks it.
 */
final class NoteMachine implements Machine {
    static final byte POISON = 13;

    private final Path file;
    private final AtomicLong checkpoints;
    private final ByteArrayOutputStream notes = new ByteArrayOutputStream();
    private long count;
    private LogPosition applied = LogPosition.NONE;
    private LogPosition durable = LogPosition.NONE;
    private long sinceCheckpoint;
    private boolean closed;

    NoteMachine(Path file, AtomicLong checkpoints) throws StorageException {
        this.file = file;
        this.checkpoints = checkpoints;
        if (Files.exists(file)) {
            try {
                ByteBuffer in = ByteBuffer.wrap(Files.readAllBytes(file));
                applied = positionIn(in);
                count = in.getLong();
                notes.write(in.array(), in.position(), in.remaining());
            } catch (IOException e) {
                throw new StorageException("cannot read " + file, e);
            }
            durable = applied;
        }
    }

    static LogPosition positionIn(ByteBuffer checkpoint) {
        long term = checkpoint.getLong();
        return new LogPosition(term, checkpoint.getLong());
    }

    synchronized byte[] bytes() {
        return notes.toByteArray();
    }

    synchronized long count() {
        return count;
    }

    @Override
    public synchronized LogPosition applied() {
        return applied;
    }

    @Override
    public synchronized List<Outcome> apply(LogPosition at, ByteBuffer entry) throws StorageException {
        moveTo(at);
        if (entry.hasRemaining() && entry.get(entry.position()) == POISON) {
            throw new StorageException("cannot stomach entry " + at.index());
        }
        byte[] bytes = new byte[entry.remaining()];
        entry.get(bytes);
        notes.writeBytes(bytes);
        sinceCheckpoint += bytes.length;
        count++;
        return List.of(new Outcome.Appended(count - 1, count, at.index(), at.term(), false));
    }

    @Override
    public synchronized void advance(LogPosition at) throws StorageException {
        moveTo(at);
    }

    private void moveTo(LogPosition at) throws StorageException {
        if (closed) {
            throw new StorageException(file + " is closed");
        }
        if (at.compareTo(applied) <= 0) {
            throw new StorageException("entry " + at + " after " + applied);
        }
        applied = at;
    }

    @Override
    public synchronized long bytesSinceCheckpoint() {
        return sinceCheckpoint;
    }

    @Override
    public void sync() {
        // One file, written as a whole by the checkpoint.
    }

    @Override
    public synchronized LogPosition checkpoint() throws StorageException {
        if (closed) {
            throw new StorageException(file + " is closed");
        }
        ByteBuffer out = ByteBuffer.allocate(24 + notes.size());
        out.putLong(applied.term()).putLong(applied.index()).putLong(count).put(notes.toByteArray());
        write(file, out.array());
        durable = applied;
        sinceCheckpoint = 0;
        checkpoints.incrementAndGet();
        return durable;
    }

    static void write(Path file, byte[] bytes) throws StorageException {
        try {
            Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
            Files.write(temporary, bytes);
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new StorageException("cannot write " + file, e);
        }
    }

    @Override
    public synchronized Optional<LogPosition> lastCheckpoint() {
        return durable.index() < 0 ? Optional.empty() : Optional.of(durable);
    }

    @Override
    public synchronized void close() {
        closed = true;
    }
}
