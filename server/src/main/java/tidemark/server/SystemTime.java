package tidemark.server;

import tidemark.server.batch.ServerTime;

/** The clocks of this machine. */
final class SystemTime implements ServerTime {
    @Override
    public long wallMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public long monotonicNanos() {
        return System.nanoTime();
    }
}
