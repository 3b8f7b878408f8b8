package tidemark.server.raft;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.ratis.grpc.server.GrpcLogAppender;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.util.AwaitForSignal;

/**
 * Sends a leader's entries to one follower without the stalls of Ratis 3.3.0, whose appender forgets a signal that comes just before
 * it begins to wait and then sleeps until the next heartbeat.
 */
final class PromptAppender extends GrpcLogAppender {
    // The constructor of the superclass may ask for the signal before this one has run.
    private final KeptSignal signal = new KeptSignal("appender");

    PromptAppender(RaftServer.Division server, LeaderState leaderState, FollowerInfo follower) {
        super(server, leaderState, follower);
    }

    @Override
    public AwaitForSignal getEventAwaitForSignal() {
        return signal;
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
