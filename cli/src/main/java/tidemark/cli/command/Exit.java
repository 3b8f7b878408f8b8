package tidemark.cli.command;

/** Exit codes of the command. Part of its interface: documented in the help and never renumbered. */
public final class Exit {
    /** Done. Also when a reader of the output went away early. */
    public static final int OK = 0;

    /** Anything that has no code of its own. */
    public static final int OTHER = 1;

    /** Wrong use: an unknown option, a malformed value, a name or record over its limit. Nothing was changed. */
    public static final int USAGE = 2;

    /** The records asked for are truncated or do not exist yet. */
    public static final int GAP = 3;

    /** Something is not as was expected: the end, the start, a revision; the stream exists, or is sealed. */
    public static final int CONFLICT = 4;

    /** No server or no leader could be reached in time. Nothing was changed. */
    public static final int UNAVAILABLE = 5;

    /** It is not known whether a write took place. */
    public static final int INDETERMINATE = 6;

    /** Ended by Ctrl-C, as shells have it. */
    public static final int INTERRUPTED = 130;

    private Exit() {}
}
