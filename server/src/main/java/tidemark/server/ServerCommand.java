package tidemark.server;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import tidemark.server.config.ConfigException;
import tidemark.server.config.ConfigFile;
import tidemark.server.config.ConfigReader;
import tidemark.server.config.Given;
import tidemark.server.config.SampleFile;
import tidemark.server.config.ServerConfig;
import tidemark.server.config.Setting;

/** The command line {@code tidemark server …}: what it asks for. Reads the configuration file, and does nothing else. */
final class ServerCommand {
    private static final String NAME = "tidemark server";
    private static final String CONFIG = "--config";
    private static final String PRINT_CONFIG = "--print-config";
    private static final String LOG_VARIABLE = "TIDEMARK_LOG";

    private ServerCommand() {}

    /** What was asked for. */
    sealed interface Request {}

    /** To print something, and no more. */
    record Print(String text) implements Request {}

    /** To run a server. */
    record Run(ServerConfig config) implements Request {}

    /**
     * @param environment of the process
     * @throws ConfigException if flags or file are wrong; the message is for the user
     */
    static Request parse(String[] arguments, Map<String, String> environment, String version) throws ConfigException {
        CommandLine commandLine = commandLine(version);
        ParseResult parsed;
        try {
            parsed = commandLine.parseArgs(arguments);
        } catch (ParameterException e) {
            throw new ConfigException(firstLine(String.valueOf(e.getMessage())) + " (try `" + NAME + " --help`)");
        }
        checkGivenOnce(arguments);
        if (parsed.isUsageHelpRequested()) {
            return new Print(commandLine.getUsageMessage(CommandLine.Help.Ansi.AUTO));
        }
        if (parsed.isVersionHelpRequested()) {
            return new Print("tidemark server " + version + "\n");
        }
        if (parsed.hasMatchedOption(PRINT_CONFIG)) {
            return new Print(SampleFile.text());
        }
        Optional<Given> logLevel = Optional.ofNullable(environment.get(LOG_VARIABLE))
                .filter(level -> !level.isBlank())
                .map(level -> new Given(level.strip(), "environment variable " + LOG_VARIABLE));
        return new Run(ConfigReader.read(flags(parsed), file(parsed), logLevel));
    }

    /** In groups, which order the help, the library lets the last of several win. */
    private static void checkGivenOnce(String[] arguments) throws ConfigException {
        Set<String> seen = new HashSet<>();
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            String flag = equals < 0 ? argument : argument.substring(0, equals);
            if (flag.startsWith("--") && !seen.add(flag)) {
                throw new ConfigException(flag + ": is given twice; keep one");
            }
        }
    }

    private static Map<Setting, Given> flags(ParseResult parsed) throws ConfigException {
        Map<Setting, Given> flags = new EnumMap<>(Setting.class);
        for (Setting setting : Setting.values()) {
            if (parsed.hasMatchedOption(setting.flag())) {
                String value = parsed.matchedOptionValue(setting.flag(), "").strip();
                if (value.isEmpty()) {
                    throw new ConfigException(
                            setting.flag() + ": has no value; leave the flag out to take the default");
                }
                flags.put(setting, new Given(value, setting.flag()));
            }
        }
        return flags;
    }

    private static Map<Setting, Given> file(ParseResult parsed) throws ConfigException {
        if (!parsed.hasMatchedOption(CONFIG)) {
            return Map.of();
        }
        String name = parsed.matchedOptionValue(CONFIG, "");
        try {
            return ConfigFile.read(Path.of(name));
        } catch (InvalidPathException e) {
            throw new ConfigException(CONFIG + ": that cannot be a path: " + e.getReason());
        }
    }

    private static CommandLine commandLine(String version) {
        CommandSpec spec = CommandSpec.create().name(NAME);
        spec.version(version);
        spec.usageMessage()
                .width(100)
                .header(
                        "Runs a server. Without options: a cluster of one, on loopback, with its data in ./tidemark-data.")
                .abbreviateSynopsis(true)
                .sortOptions(false);
        for (Setting.Section section : Setting.Section.values()) {
            ArgGroupSpec.Builder group = ArgGroupSpec.builder().validate(false).heading("%n" + section.title() + "%n");
            Setting.in(section).forEach(setting -> group.addArg(option(setting)));
            spec.addArgGroup(group.build());
        }
        spec.addOption(OptionSpec.builder(CONFIG)
                .paramLabel("FILE")
                .type(String.class)
                .description("Read settings from a file; flags win.")
                .build());
        spec.addOption(OptionSpec.builder(PRINT_CONFIG)
                .description("Print a documented sample of the file, and end.")
                .build());
        spec.addOption(OptionSpec.builder("-h", "--help")
                .usageHelp(true)
                .description("Print this, and end.")
                .build());
        spec.addOption(OptionSpec.builder("-V", "--version")
                .versionHelp(true)
                .description("Print the version, and end.")
                .build());
        // A leading @ is no reference to a file here.
        return new CommandLine(spec).setExpandAtFiles(false);
    }

    private static OptionSpec option(Setting setting) {
        String shownDefault = setting.defaultText().isEmpty() ? "" : " Default: " + setting.defaultText() + ".";
        return OptionSpec.builder(setting.flag())
                .paramLabel(setting.type())
                .type(String.class)
                .description((setting.description() + shownDefault).replace("%", "%%"))
                .build();
    }

    private static String firstLine(String text) {
        int end = text.indexOf('\n');
        return end < 0 ? text : text.substring(0, end);
    }
}
