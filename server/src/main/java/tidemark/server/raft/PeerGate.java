package tidemark.server.raft;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import org.apache.ratis.grpc.server.GrpcServices;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.thirdparty.io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import org.apache.ratis.thirdparty.io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import org.apache.ratis.thirdparty.io.grpc.Metadata;
import org.apache.ratis.thirdparty.io.grpc.ServerCall;
import org.apache.ratis.thirdparty.io.grpc.ServerCallHandler;
import org.apache.ratis.thirdparty.io.grpc.ServerInterceptor;
import org.apache.ratis.thirdparty.io.grpc.Status;
import org.apache.ratis.thirdparty.io.grpc.netty.NettyServerBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Stands before the Raft port, for two things that Ratis does not do.
 *
 * <ul>
 *   <li>Only servers' calls are let in. Ratis also offers its clients' and administrators' services there, to anybody.
 *   <li>A vote is answered only when it is durable. Ratis syncs the file with the vote and renames it, but does not sync the directory:
 *       after a power cut the old vote may be back, and the server could vote for two in one term. (The vote for itself is made durable in {@link PromptRpc}.)
 * </ul>
 */
final class PeerGate implements GrpcServices.Customizer, ServerInterceptor {
    private static final String SERVERS_ONLY = "ratis.grpc.RaftServerProtocolService";

    private final Path journal;

    PeerGate(Path journal) {
        this.journal = journal;
    }

    @Override
    public NettyServerBuilder customize(NettyServerBuilder builder, EnumSet<GrpcServices.Type> types) {
        return builder.intercept(this);
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        if (!SERVERS_ONLY.equals(call.getMethodDescriptor().getServiceName())) {
            call.close(
                    Status.PERMISSION_DENIED.withDescription("this port is for the servers of the cluster"),
                    new Metadata());
            return new ServerCall.Listener<>() {};
        }
        if (!"requestVote".equals(call.getMethodDescriptor().getBareMethodName())) {
            return next.startCall(call, headers);
        }
        VoteCall<Q, R> vote = new VoteCall<>(call);
        return new SimpleForwardingServerCallListener<>(next.startCall(vote, headers)) {
            @Override
            public void onMessage(Q message) {
                if (message instanceof RequestVoteRequestProto request) {
                    vote.group = RaftGroupId.valueOf(
                            request.getServerRequest().getRaftGroupId().getId());
                }
                super.onMessage(message);
            }
        };
    }

    private final class VoteCall<Q, R> extends SimpleForwardingServerCall<Q, R> {
        private volatile @Nullable RaftGroupId group;

        VoteCall(ServerCall<Q, R> call) {
            super(call);
        }

        @Override
        public void sendMessage(R message) {
            RaftGroupId id = group;
            if (id != null) {
                makeVoteDurable(id);
            }
            super.sendMessage(message);
        }
    }

    /** A failure ends the call without an answer: the vote does not count. */
    private void makeVoteDurable(RaftGroupId id) {
        Path directory = journal.resolve(id.getUuid().toString()).resolve("current");
        try {
            if (Files.isDirectory(directory)) {
                Directories.sync(directory);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make a vote durable in " + directory, e);
        }
    }
}
