package tidemark.cli;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import tidemark.cli.command.ClientFactory;
import tidemark.cli.command.ReaderGoneException;
import tidemark.cli.command.Surroundings;
import tidemark.client.ClientOptions;
import tidemark.client.Endpoint;
import tidemark.client.TidemarkClient;

/** The real process: its standard streams, environment, clock and signals. */
final class ProcessSurroundings {
    private ProcessSurroundings() {}

    static Surroundings create() {
        return new Surroundings(
                // Not System.in: its buffer would copy every byte once more.
                new FileInputStream(FileDescriptor.in),
                new StandardOutput(new FileOutputStream(FileDescriptor.out)),
                System.err,
                new Surroundings.Terminals(isTerminal(0), isTerminal(1), isTerminal(2)),
                System.getenv(),
                InstantSource.system(),
                new ShutdownInterrupts(),
                new RealClients());
    }

    /** What a standard stream leads to, such as {@code /dev/pts/0} or {@code pipe:[4711]}; empty if the system does not say. */
    private static String target(int descriptor) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
        } catch (IOException | UnsupportedOperationException unknown) {
            return "";
        }
    }

    private static boolean isTerminal(int descriptor) {
        // Where the system does not say (not Linux), output is plain and nothing is asked.
        String target = target(descriptor);
        return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
    }

    /** Standard output that tells a reader who went away (a pipe) from a failure to write (a full disk). */
    private static final class StandardOutput extends OutputStream {
        private final FileOutputStream file;

        StandardOutput(FileOutputStream file) {
            this.file = file;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            try {
                file.write(bytes, offset, length);
            } catch (IOException e) {
                String target = target(1);
                if (target.startsWith("pipe:") || target.startsWith("socket:") || isBrokenPipe(e)) {
                    throw new ReaderGoneException(e);
                }
                throw new IOException("cannot write to standard output: " + e.getMessage(), e);
            }
        }

        private static boolean isBrokenPipe(IOException e) {
            return String.valueOf(e.getMessage()).contains("Broken pipe");
        }
    }

    /** Ctrl-C as the virtual machine tells it: it begins to shut down, and exits with 130 when the hooks are done. */
    private static final class ShutdownInterrupts implements Surroundings.Interrupts {
        @Override
        public Handle onInterrupt(Runnable action) {
            Thread hook = new Thread(action, "interrupt");
            Runtime.getRuntime().addShutdownHook(hook);
            return new Registered(hook);
        }

        private record Registered(Thread hook) implements Handle {
            @Override
            public void close() {
                try {
                    Runtime.getRuntime().removeShutdownHook(hook);
                } catch (IllegalStateException shuttingDown) {
                    // The hook runs already, which is what it is for.
                    Thread.onSpinWait();
                }
            }
        }
    }

    private static final class RealClients implements ClientFactory {
        @Override
        public TidemarkClient connect(List<Endpoint> servers, ClientOptions options) {
            return TidemarkClient.connect(servers, options);
        }
    }
}
