package tidemark.server.raft;

import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.machine.Machine;
import tidemark.statemachine.model.GroupId;

/** Makes the state machines of this server's groups. Called on different threads, for one group by one at a time. */
public interface MachineFactory {
    /** Opens a group's machine where its last checkpoint left it, or a new one. */
    Machine open(GroupId group) throws StorageException;

    /** Deletes all that a group's machine stored; it is closed. Nothing happens if there is nothing. */
    void delete(GroupId group) throws StorageException;

    /** Brings a group's files to another replica's checkpoint. */
    SnapshotInstaller installer(GroupId group);
}
