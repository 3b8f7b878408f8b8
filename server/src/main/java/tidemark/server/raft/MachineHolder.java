package tidemark.server.raft;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.machine.Machine;
import tidemark.statemachine.model.GroupId;

/**
 * The machine of one group, and its replacement by a newer one after a snapshot was installed.
 *
 * <p>Readers take {@link #current} without a lock and may find it closed a moment later. What writes to the machine's files (applying,
 * syncing, checkpoints, replacing) holds the lock.
 */
final class MachineHolder {
    private final GroupId group;
    private final MachineFactory factory;
    private final ReentrantLock writing = new ReentrantLock();
    private final ReentrantLock syncing = new ReentrantLock();
    private volatile @Nullable Machine machine;
    private boolean closed;

    MachineHolder(GroupId group, MachineFactory factory) {
        this.group = group;
        this.factory = factory;
    }

    /** A step that needs the machine and its files for itself. */
    interface Step<T> {
        T run(Machine machine) throws StorageException;
    }

    Machine current() {
        Machine now = machine;
        if (now == null) {
            throw new IllegalStateException("the machine of group " + group + " is not open");
        }
        return now;
    }

    void open() throws StorageException {
        writing.lock();
        try {
            machine = factory.open(group);
            closed = false;
        } finally {
            writing.unlock();
        }
    }

    /** Runs a step of the applier. */
    <T> T write(Step<T> step) throws StorageException {
        writing.lock();
        try {
            return step.run(current());
        } finally {
            writing.unlock();
        }
    }

    /** Makes the machine's files durable beside applying; nothing happens when it is closed or another one syncs. */
    void sync() throws StorageException {
        if (!syncing.tryLock()) {
            return;
        }
        try {
            Machine now = machine;
            if (now != null && !closed) {
                now.sync();
            }
        } finally {
            syncing.unlock();
        }
    }

    /**
     * Closes the machine, lets a prepared snapshot take its place, and opens that.
     *
     * @param done called after the commit, before anything else can be written
     * @return false if the machine is already as far: nothing was done
     */
    boolean replace(SnapshotInstaller.Prepared snapshot, Runnable done) throws StorageException {
        syncing.lock();
        writing.lock();
        try {
            Machine old = current();
            if (closed) {
                throw new StorageException("the machine of group " + group + " is closed");
            }
            if (old.applied().compareTo(snapshot.position()) >= 0) {
                return false;
            }
            old.close();
            snapshot.commit();
            machine = factory.open(group);
            done.run();
            return true;
        } finally {
            writing.unlock();
            syncing.unlock();
        }
    }

    void close() throws StorageException {
        syncing.lock();
        writing.lock();
        try {
            Machine now = machine;
            if (now != null && !closed) {
                closed = true;
                now.close();
            }
        } finally {
            writing.unlock();
            syncing.unlock();
        }
    }
}
