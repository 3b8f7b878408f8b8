package tidemark.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The look of the help: a command's own options first, then those that all commands share. */
final class HelpLayout {
    private static final int WIDTH = 100;

    private HelpLayout() {}

    static void applyTo(CommandLine commandLine) {
        commandLine.setUsageHelpAutoWidth(false).setUsageHelpWidth(WIDTH);
        commandLine.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, new Options());
        setHeadings(commandLine);
        for (CommandLine subcommand : commandLine.getSubcommands().values()) {
            applyTo(subcommand);
        }
    }

    private static void setHeadings(CommandLine commandLine) {
        CommandSpec spec = commandLine.getCommandSpec();
        spec.usageMessage()
                .synopsisHeading("%nUsage: ")
                .descriptionHeading(spec.usageMessage().description().length == 0 ? "" : "%n")
                .parameterListHeading("%nArguments:%n")
                .commandListHeading("%nCommands:%n")
                .footerHeading("%n");
    }

    private static final class Options implements IHelpSectionRenderer {
        @Override
        public String render(Help help) {
            List<OptionSpec> own = new ArrayList<>();
            List<OptionSpec> common = new ArrayList<>();
            for (OptionSpec option : help.commandSpec().options()) {
                (option.inherited() ? common : own).add(option);
            }
            return section(help, "%nOptions:%n", own) + section(help, "%nCommon options:%n", common);
        }

        private static String section(Help help, String heading, List<OptionSpec> options) {
            return options.isEmpty() ? "" : help.createHeading(heading) + help.optionListExcludingGroups(options);
        }
    }
}
