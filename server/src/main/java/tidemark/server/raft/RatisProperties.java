package tidemark.server.raft;

import java.io.File;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;

/**
 * Our settings as Ratis properties, with everything that Ratis' defaults would get wrong for us. The reasons are told at length in
 * {@code docs/decisions/0003-ratis-settings-and-duties.md}.
 */
final class RatisProperties {
    /** What Ratis puts around an entry (term, index, client and call id, tags) is some 60 bytes; this is more than enough. */
    static final int ENTRY_OVERHEAD_MAX = 64 << 10;

    private static final int MIB = 1 << 20;

    private RatisProperties() {}

    static RaftProperties of(RaftNode node, RaftSettings settings) {
        RaftProperties properties = new RaftProperties();
        RaftServerConfigKeys.setStorageDir(
                properties, List.of(new File(node.journal().toString())));
        RaftServerConfigKeys.setStorageFreeSpaceMin(properties, SizeInBytes.valueOf(0)); // watermarks are ours to keep
        network(properties, node, settings);
        elections(properties, settings);
        durability(properties);
        journalSizes(properties, settings);
        appenders(properties);
        snapshots(properties);
        limitsAndPools(properties);
        requireDurable(properties);
        return properties;
    }

    /** The largest serialized entry: what one batch of the replication stream and the journal's reader are sized by. */
    static int frameBytesMax(RaftSettings settings) {
        return settings.entryBytesMax() + ENTRY_OVERHEAD_MAX;
    }

    static int segmentBytes(RaftSettings settings) {
        return (int) Math.max(MIB, Math.min(16L * MIB, settings.journalBytesKept() / 4));
    }

    private static void network(RaftProperties properties, RaftNode node, RaftSettings settings) {
        RaftConfigKeys.Rpc.setType(properties, new PromptRpc());
        GrpcConfigKeys.Server.setHost(properties, node.bindHost());
        GrpcConfigKeys.Server.setPort(properties, node.raftPort());
        // A batch of entries is at most appendBytes; Ratis wants a MiB of room above it.
        GrpcConfigKeys.setMessageSizeMax(properties, SizeInBytes.valueOf(appendBytes(settings) + 2L * MIB));
        // One connection carries all groups: the default window of 1 MiB would make them wait for each other.
        GrpcConfigKeys.setFlowControlWindow(properties, SizeInBytes.valueOf(8L * MIB));
        // Heartbeats must not queue behind megabytes of entries.
        GrpcConfigKeys.Server.setHeartbeatChannel(properties, true);
        GrpcConfigKeys.Server.setLeaderOutstandingAppendsMax(properties, 16);
        // A cached pool with a size has one thread only (a defect): fixed.
        GrpcConfigKeys.Server.setAsyncRequestThreadPoolCached(properties, false);
        GrpcConfigKeys.Server.setAsyncRequestThreadPoolSize(properties, 2);
    }

    private static void elections(RaftProperties properties, RaftSettings settings) {
        RaftServerConfigKeys.Rpc.setTimeoutMin(properties, time(settings.electionTimeoutMin()));
        RaftServerConfigKeys.Rpc.setTimeoutMax(properties, time(settings.electionTimeoutMax()));
        // Nobody leads yet when a server starts: no reason to wait as long as for a leader that may only be slow.
        RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(
                properties, time(settings.electionTimeoutMin().dividedBy(4)));
        RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(
                properties, time(settings.electionTimeoutMax().dividedBy(2)));
        // A server that was cut off must not dethrone a working leader when it comes back.
        RaftServerConfigKeys.LeaderElection.setPreVote(properties, true);
        // A pause of the process longer than this closes Ratis while the process lives on. The watchdog handles the
        // rest.
        RaftServerConfigKeys.setCloseThreshold(properties, TimeDuration.valueOf(300, TimeUnit.SECONDS));
    }

    private static void durability(RaftProperties properties) {
        // Either of the first two acknowledges before the fsync.
        RaftServerConfigKeys.Log.setAsyncFlushEnabled(properties, false);
        RaftServerConfigKeys.Log.setUnsafeFlushEnabled(properties, false);
        // All that came in during one fsync goes into the next.
        RaftServerConfigKeys.Log.setForceSyncNum(properties, 4096);
        // A torn tail of the last segment is cut; JournalCheck refuses any other damage before Ratis reads.
        RaftServerConfigKeys.Log.setCorruptionPolicy(
                properties, RaftServerConfigKeys.Log.CorruptionPolicy.WARN_AND_RETURN);
        // No extra entry (with its own fsync) for each advance of the commit index. Followers learn it from a prompt
        // heartbeat.
        RaftServerConfigKeys.Log.setLogMetadataEnabled(properties, false);
    }

    private static void journalSizes(RaftProperties properties, RaftSettings settings) {
        int append = appendBytes(settings);
        RaftServerConfigKeys.Log.setSegmentSizeMax(properties, SizeInBytes.valueOf(segmentBytes(settings)));
        // Preallocation writes zeros; each election starts a segment.
        RaftServerConfigKeys.Log.setPreallocatedSize(properties, SizeInBytes.valueOf(MIB));
        RaftServerConfigKeys.Log.Appender.setBufferByteLimit(properties, SizeInBytes.valueOf(append));
        // Direct memory of each group; must hold the largest entry.
        RaftServerConfigKeys.Log.setWriteBufferSize(properties, SizeInBytes.valueOf(append + 64L * 1024));
        // Entries for followers that are a little behind, in heap.
        RaftServerConfigKeys.Log.setSegmentCacheNumMax(properties, 2);
        RaftServerConfigKeys.Log.setSegmentCacheSizeMax(properties, SizeInBytes.valueOf(2L * segmentBytes(settings)));
    }

    private static void appenders(RaftProperties properties) {
        RaftServerConfigKeys.Log.Appender.setWaitTimeMin(properties, TimeDuration.ZERO);
        // Composed, a follower starts a batch only after the one before is fsynced, and one failure spoils all that
        // follow.
        RaftServerConfigKeys.Log.setAppendEntriesComposeEnabled(properties, false);
    }

    private static void snapshots(RaftProperties properties) {
        // Followers that are too far behind fetch segment files themselves.
        RaftServerConfigKeys.Log.Appender.setInstallSnapshotEnabled(properties, false);
        // Ours trigger by bytes and time; Ratis' counts entries.
        RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(properties, false);
        RaftServerConfigKeys.Snapshot.setCreationGap(properties, 1);
        // A dead follower must not fill everybody's disk. What stays for followers is counted in bytes, by JournalTail.
        RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(properties, true);
        RaftServerConfigKeys.Log.setPurgePreservationLogNum(properties, 0);
        RaftServerConfigKeys.Log.setPurgeGap(properties, 1);
    }

    private static void limitsAndPools(RaftProperties properties) {
        // Filled on every replica; we never send an entry twice with the same call id, so it needs to remember nothing.
        RaftServerConfigKeys.RetryCache.setExpiryTime(properties, TimeDuration.valueOf(5, TimeUnit.SECONDS));
        RaftServerConfigKeys.Write.setElementLimit(properties, 4096);
        RaftServerConfigKeys.Write.setByteLimit(properties, SizeInBytes.valueOf(64L * MIB));
        RaftServerConfigKeys.Log.setQueueElementLimit(properties, 4096);
        RaftServerConfigKeys.Log.setQueueByteLimit(properties, SizeInBytes.valueOf(64L * MIB));
        RaftServerConfigKeys.ThreadPool.setProxyCached(properties, false);
        RaftServerConfigKeys.ThreadPool.setProxySize(
                properties, Math.max(2, Runtime.getRuntime().availableProcessors()));
        // These two are per group.
        RaftServerConfigKeys.ThreadPool.setServerCached(properties, false);
        RaftServerConfigKeys.ThreadPool.setServerSize(properties, 2);
        RaftServerConfigKeys.ThreadPool.setClientCached(properties, false);
        RaftServerConfigKeys.ThreadPool.setClientSize(properties, 1);
    }

    /** Checked on what Ratis will read, whatever is written above. */
    static void requireDurable(RaftProperties properties) {
        if (RaftServerConfigKeys.Log.asyncFlushEnabled(properties)
                || RaftServerConfigKeys.Log.unsafeFlushEnabled(properties)) {
            throw new IllegalStateException("async-flush and unsafe-flush acknowledge entries before they are durable");
        }
    }

    /** Bytes of one batch of the replication stream. */
    private static int appendBytes(RaftSettings settings) {
        return Math.max(frameBytesMax(settings), 4 * MIB);
    }

    private static TimeDuration time(Duration duration) {
        return TimeDuration.valueOf(duration.toMillis(), TimeUnit.MILLISECONDS);
    }
}
