package tidemark.server.raft;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.grpc.GrpcFactory;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;

/** Ratis' gRPC transport with {@link PromptAppender}s. Ratis makes it by its class name. */
public final class PromptRpc implements RpcType {
    @Override
    public String name() {
        return PromptRpc.class.getName();
    }

    @Override
    public RpcFactory newFactory(Parameters parameters) {
        return new Factory(parameters);
    }

    private static final class Factory extends GrpcFactory {
        Factory(Parameters parameters) {
            super(parameters);
        }

        @Override
        public LogAppender newLogAppender(RaftServer.Division server, LeaderState state, FollowerInfo follower) {
            // Comes before anything is sent as the leader: this server's own vote, which made it one, must be durable
            // by then. Ratis
            // does not sync the directory (PeerGate has the other half of this).
            try {
                Directories.sync(
                        server.getRaftStorage().getStorageDir().getCurrentDir().toPath());
            } catch (IOException e) {
                throw new UncheckedIOException("cannot make this server's vote durable", e);
            }
            return new PromptAppender(server, state, follower);
        }
    }
}
