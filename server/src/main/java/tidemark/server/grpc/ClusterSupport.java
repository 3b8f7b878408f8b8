package tidemark.server.grpc;

import io.grpc.Channel;
import tidemark.server.batch.ServerTime;
import tidemark.server.catalog.Catalog;
import tidemark.server.raft.RaftHost;

/**
 * What the methods of the admin service share.
 *
 * @param self this server's own services, for steps that must be routed like calls of clients
 */
record ClusterSupport(
        RaftHost raft,
        Catalog catalog,
        Router router,
        StoredStreams stored,
        Writes writes,
        PeerChannels channels,
        Channel self,
        Timer timer,
        ServerTime time,
        GrpcSettings settings,
        ServerIdentity identity) {}
