package tidemark.cli.command;

import picocli.CommandLine.Command;

/** The group of commands about streams. */
@Command(
        name = "stream",
        description = "Create, list, describe, update, delete and seal streams.",
        subcommands = {
            StreamCreateCommand.class,
            StreamListCommand.class,
            StreamDescribeCommand.class,
            StreamUpdateCommand.class,
            StreamDeleteCommand.class,
            StreamSealCommand.class,
        })
final class StreamCommand {}
