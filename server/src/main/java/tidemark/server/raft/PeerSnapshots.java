package tidemark.server.raft;

import java.io.IOException;
import java.nio.ByteBuffer;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.StreamId;

/** Where a follower that is too far behind fetches another replica's checkpoint from. Implemented by the transport. Blocking calls. */
public interface PeerSnapshots {
    /** The newest durable manifest of another server's replica, as bytes of the manifest file. */
    byte[] manifest(String serverId, GroupId group) throws IOException;

    /**
     * The bytes of a segment file from a position up to a length.
     *
     * @param sink is given consecutive chunks
     */
    void segment(String serverId, GroupId group, StreamId stream, long baseOffset, long from, long to, ChunkSink sink)
            throws IOException;

    /** Takes the chunks of one transfer, in order. */
    interface ChunkSink {
        void accept(ByteBuffer chunk) throws IOException;
    }
}
