package tidemark.server.raft;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.GroupManagementRequest;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SnapshotManagementRequest;
import tidemark.server.raft.RaftHost.Member;
import tidemark.statemachine.model.GroupId;

/**
 * Makes the requests of this process to its own Ratis server. One client id for the life of the process, new in each, and a call id
 * never used twice: Ratis would take a second use for a repetition of the first and not append it.
 */
final class Requests {
    private final ClientId client = ClientId.randomId();
    private final AtomicLong calls = new AtomicLong();
    private final RaftPeerId server;

    Requests(RaftPeerId server) {
        this.server = server;
    }

    static RaftGroupId ratisId(GroupId group) {
        return RaftGroupId.valueOf(group.value());
    }

    static GroupId ourId(RaftGroupId group) {
        return new GroupId(group.getUuid());
    }

    RaftClientRequest write(GroupId group, Message message) {
        return RaftClientRequest.newBuilder()
                .setClientId(client)
                .setServerId(server)
                .setGroupId(ratisId(group))
                .setCallId(calls.incrementAndGet())
                .setMessage(message)
                .setType(RaftClientRequest.writeRequestType())
                .build();
    }

    /** @param members empty for a group whose members are in its own journal */
    GroupManagementRequest add(GroupId group, List<Member> members) {
        List<RaftPeer> peers = members.stream()
                .map(m -> RaftPeer.newBuilder()
                        .setId(m.id())
                        .setAddress(m.raftEndpoint())
                        .build())
                .toList();
        // Not "format": that fails where a directory exists, and without one there is no difference.
        return GroupManagementRequest.newAdd(
                client, server, calls.incrementAndGet(), RaftGroup.valueOf(ratisId(group), peers), false);
    }

    /** Leaves the directory: deleting it is ours, in an order that stands a crash. */
    GroupManagementRequest remove(GroupId group) {
        return GroupManagementRequest.newRemove(client, server, calls.incrementAndGet(), ratisId(group), false, false);
    }

    SnapshotManagementRequest checkpoint(GroupId group, long timeoutMillis) {
        return SnapshotManagementRequest.newCreate(
                client, server, ratisId(group), calls.incrementAndGet(), timeoutMillis, 1);
    }
}
