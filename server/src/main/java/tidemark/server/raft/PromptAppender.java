package tidemark.server.raft;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.ratis.grpc.server.GrpcLogAppender;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.raftlog.RaftLogIOException;
import org.apache.ratis.util.AwaitForSignal;
import org.apache.ratis.util.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * Sends a leader's entries to one follower, without two kinds of waiting that Ratis 3.3.0 has.
 *
 * <ul>
 *   <li>Its appender forgets a signal that comes just before it begins to wait, and then sleeps until the next heartbeat.
 *   <li>With no more entries to send, it tells the follower of the last commit with the next heartbeat only: after half an election
 *       timeout. (Ratis' own cure is to log an entry for each commit, and to sync it.) Here a heartbeat follows soon, unless an entry
 *       carries the news before.
 * </ul>
 */
final class PromptAppender extends GrpcLogAppender {
    /** Time for the next entry to come and make a heartbeat of its own needless. Also how often a commit is looked for that is due. */
    private static final long NEWS_MILLIS = 3;

    private final KeptSignal signal;

    /** The follower knows that everything up to here is committed, if it got what was sent. */
    private volatile long commitTold = -1;

    private volatile @Nullable Timestamp newsSince;

    PromptAppender(RaftServer.Division server, LeaderState leaderState, FollowerInfo follower) {
        super(server, leaderState, follower);
        this.signal = new KeptSignal(this);
    }

    @Override
    public AwaitForSignal getEventAwaitForSignal() {
        return signal;
    }

    @Override
    public @Nullable AppendEntriesRequestProto newAppendEntriesRequest(long callId, boolean heartbeat)
            throws RaftLogIOException {
        AppendEntriesRequestProto request = super.newAppendEntriesRequest(callId, heartbeat);
        if (request != null) {
            // What a follower does: it takes no more as committed than it knows to have from this leader.
            long known =
                    (request.hasPreviousLog() ? request.getPreviousLog().getIndex() : -1) + request.getEntriesCount();
            newsSince = null;
            commitTold = Math.max(commitTold, Math.min(request.getLeaderCommit(), known));
        }
        return request;
    }

    @Override
    public long getHeartbeatWaitTimeMs() {
        long wait = super.getHeartbeatWaitTimeMs();
        if (wait <= 0 || hasAppendEntries() || hasPendingDataRequests()) {
            return wait;
        }
        long matched = getFollower().getMatchIndex();
        if (matched <= commitTold) {
            newsSince = null;
            return wait;
        }
        if (Math.min(getRaftLog().getLastCommittedIndex(), matched) <= commitTold) {
            return Math.min(wait, NEWS_MILLIS); // nobody wakes this thread when the commit comes
        }
        Timestamp since = newsSince;
        if (since == null) {
            since = Timestamp.currentTime();
            newsSince = since;
        }
        return Math.min(wait, Math.max(0, NEWS_MILLIS - since.elapsedTimeMs()));
    }

    /** A signal that waits for its waiter. Any number of signals before a wait count as one. */
    static final class KeptSignal extends AwaitForSignal {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();
        private boolean signalled;

        KeptSignal(Object name) {
            super(name);
        }

        @Override
        public void await() throws InterruptedException {
            lock.lockInterruptibly();
            try {
                while (!signalled) {
                    changed.await();
                }
                signalled = false;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public boolean await(long time, TimeUnit unit) throws InterruptedException {
            lock.lockInterruptibly();
            try {
                long nanos = unit.toNanos(time);
                while (!signalled && nanos > 0) {
                    nanos = changed.awaitNanos(nanos);
                }
                boolean was = signalled;
                signalled = false;
                return was;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void signal() {
            lock.lock();
            try {
                signalled = true;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }
}
