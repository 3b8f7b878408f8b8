/** The subcommands, one class each, and what they share: global options, output, exit codes. */
@NullMarked
package tidemark.cli.command;

import org.jspecify.annotations.NullMarked;
