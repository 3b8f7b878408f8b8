package tidemark.cli.command;

import java.io.IOException;
import java.util.Locale;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Prints the completion script of a shell. */
@Command(
        name = "completion",
        description = {
            "Print a completion script for a shell.",
            "bash: eval \"$$(tidemark completion bash)\" in ~/.bashrc",
            "zsh:  eval \"$$(tidemark completion zsh)\" in ~/.zshrc"
        })
final class CompletionCommand extends Subcommand {
    private enum Shell {
        BASH,
        ZSH;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Parameters(paramLabel = "SHELL", description = "bash or zsh.")
    private Shell shell = Shell.BASH;

    @Override
    void run(Output output) throws IOException {
        if (shell == Shell.ZSH) {
            output.line("autoload -U +X compinit && compinit -u");
        }
        output.print(AutoComplete.bash("tidemark", spec().root().commandLine()));
    }
}
