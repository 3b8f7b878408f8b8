package tidemark.cli.command;

import picocli.CommandLine.Command;

/** The group of commands about the cluster. */
@Command(name = "cluster", description = "Show the cluster.", subcommands = ClusterStatusCommand.class)
final class ClusterCommand {}
