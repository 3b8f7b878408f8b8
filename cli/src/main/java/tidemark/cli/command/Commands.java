package tidemark.cli.command;

import picocli.CommandLine;

/** The subcommands, by name. */
public final class Commands {
    private static final String[] NAMES = {
        "server", "stream", "append", "tail", "read", "truncate", "cluster", "segment", "completion"
    };

    private Commands() {}

    /**
     * Adds the subcommand that the first argument names; all of them if it names none or needs to know the others. Looking at the
     * annotations of commands that will not run would take a good part of the time that a short command takes.
     */
    public static void addTo(CommandLine root, String[] arguments) {
        String first = arguments.length == 0 ? "" : arguments[0];
        boolean alone = isCommand(first) && !first.equals("completion");
        for (String name : NAMES) {
            if (!alone || name.equals(first)) {
                root.addSubcommand(name, create(name));
            }
        }
    }

    private static boolean isCommand(String name) {
        for (String known : NAMES) {
            if (known.equals(name)) {
                return true;
            }
        }
        return false;
    }

    private static Object create(String name) {
        return switch (name) {
            case "server" -> new ServerCommand();
            case "stream" -> new StreamCommand();
            case "append" -> new AppendCommand();
            case "tail" -> new TailCommand();
            case "read" -> new ReadCommand();
            case "truncate" -> new TruncateCommand();
            case "cluster" -> new ClusterCommand();
            case "segment" -> new SegmentCommand();
            case "completion" -> new CompletionCommand();
            default -> throw new IllegalArgumentException(name);
        };
    }
}
