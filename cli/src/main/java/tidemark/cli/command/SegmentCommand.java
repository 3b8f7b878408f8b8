package tidemark.cli.command;

import picocli.CommandLine.Command;

/** The group of commands about files of a server. */
@Command(
        name = "segment",
        description = {
            "Look into segment files on this machine.",
            "Works without a server and beside a running one; files are never changed."
        },
        subcommands = {SegmentDumpCommand.class, SegmentVerifyCommand.class})
final class SegmentCommand {}
