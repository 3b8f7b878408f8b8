package tidemark.statemachine.env;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * An open file of this machine.
 *
 * <p>It is an asynchronous channel whose tasks run at once in the calling thread. The usual {@code FileChannel} closes itself when a
 * thread that uses it is interrupted: one cancelled reader would take the file from all others, and a sync would end without
 * anybody knowing its result. This kind of channel takes no notice of interrupts.
 */
final class RealFile implements StorageFile {
    private final Path path;
    private final AsynchronousFileChannel channel;
    private volatile boolean syncFailed;

    private RealFile(Path path, AsynchronousFileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    static RealFile open(Path path, Set<OpenOption> options) throws StorageException {
        try {
            return new RealFile(path, AsynchronousFileChannel.open(path, options, new CallingThread()));
        } catch (IOException e) {
            throw RealFileSystem.failed("open", path, e);
        }
    }

    @Override
    public int read(ByteBuffer target, long position) throws StorageException {
        int total = 0;
        while (target.hasRemaining()) {
            int read = done("read", channel.read(target, position + total));
            if (read < 0) {
                break;
            }
            total += read;
        }
        return total;
    }

    @Override
    public void write(ByteBuffer source, long position) throws StorageException {
        refuseAfterFailedSync();
        long at = position;
        while (source.hasRemaining()) {
            at += done("write", channel.write(source, at));
        }
    }

    @Override
    public void truncate(long size) throws StorageException {
        refuseAfterFailedSync();
        try {
            channel.truncate(size);
        } catch (IOException e) {
            throw RealFileSystem.failed("truncate", path, e);
        }
    }

    @Override
    public void sync() throws StorageException {
        refuseAfterFailedSync();
        try {
            // fdatasync: contents, and the metadata without which they cannot be read, so the length too. Not the
            // times.
            channel.force(false);
        } catch (IOException e) {
            // The kernel now takes the lost pages for clean: a second sync would succeed and prove nothing.
            syncFailed = true;
            throw RealFileSystem.failed("sync", path, e);
        }
    }

    @Override
    public long size() throws StorageException {
        try {
            return channel.size();
        } catch (IOException e) {
            throw RealFileSystem.failed("take the size of", path, e);
        }
    }

    @Override
    public void close() throws StorageException {
        try {
            channel.close();
        } catch (IOException e) {
            throw RealFileSystem.failed("close", path, e);
        }
    }

    private void refuseAfterFailedSync() throws StorageException {
        if (syncFailed) {
            throw new StorageException(
                    "cannot change " + path + ": an earlier sync failed, so its contents are unknown");
        }
    }

    /** The result of a task that has run already. */
    private int done(String tried, Future<Integer> future) throws StorageException {
        try {
            return future.get();
        } catch (ExecutionException e) {
            IOException cause = e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
            throw RealFileSystem.failed(tried, path, cause);
        } catch (InterruptedException e) {
            throw new IllegalStateException("waited for a task that runs in the calling thread", e);
        }
    }

    /** Runs every task at once in the thread that brings it; has nothing to shut down. */
    private static final class CallingThread extends AbstractExecutorService {
        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public void shutdown() {}

        @Override
        public List<Runnable> shutdownNow() {
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return false;
        }
    }
}
