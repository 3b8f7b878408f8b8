package tidemark.server.raft;

import java.nio.file.Path;

/**
 * This server, to Raft.
 *
 * @param id its name in the cluster, for ever
 * @param bindHost the address to listen on, {@code 0.0.0.0} for all
 * @param raftPort where the other servers reach it
 * @param journal directory of the Raft logs; made if need be
 */
public record RaftNode(String id, String bindHost, int raftPort, Path journal) {}
