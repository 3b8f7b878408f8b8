package tidemark.server.raft;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tidemark.statemachine.model.GroupId;

/**
 * The Raft groups of this server. The only door to consensus: no type of the Raft library passes it.
 *
 * <p>Safe for use by many threads.
 */
public interface RaftHost extends Closeable {
    /**
     * Hosts a replica of a new group. All members must be given the same list. A group that is hosted already, or that this
     * server's disk holds, is left as it is (its members then come from its own log).
     *
     * @throws IOException if the group cannot be started; the server is then unhealthy
     */
    void addGroup(GroupId id, List<Member> members) throws IOException;

    /** Stops hosting a group and deletes its data, for good. Nothing happens if it is not hosted. */
    void removeGroup(GroupId id) throws IOException;

    /** The groups hosted now, damaged ones included. */
    Set<GroupId> groups();

    /** A hosted group that can be worked with. */
    Optional<HostedGroup> group(GroupId id);

    /** Empty while all is well, else one line for each thing that is wrong. */
    List<String> problems();

    /** Stops all groups: refuses proposals, writes a checkpoint of each, closes. Blocks, for a bounded time. */
    @Override
    void close() throws IOException;

    /**
     * A server of the cluster.
     *
     * @param id its name, for ever
     * @param host where the others reach it; an IPv6 address without brackets
     */
    record Member(String id, String host, int clientPort, int raftPort) {
        public String clientEndpoint() {
            return endpoint(clientPort);
        }

        public String raftEndpoint() {
            return endpoint(raftPort);
        }

        private String endpoint(int port) {
            return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
        }
    }
}
