package tidemark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UsageTest {
    @Test
    void helpListsCommandsOptionsAndExitCodes() {
        CommandRun run = new CommandRun().run("--help");

        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out())
                .contains("server", "stream", "append", "tail", "read", "truncate", "cluster", "segment", "completion")
                .contains("--server", "TIDEMARK_SERVERS", "127.0.0.1:7420", "--format", "--timeout", "--debug")
                .contains("Exit codes:")
                .containsPattern("3 +the records asked for are truncated")
                .containsPattern("6 +indeterminate")
                .doesNotContain("\u001b[");
    }

    @Test
    void helpIsColouredOnATerminalOnly() {
        assertThat(new CommandRun().terminals(true, true, true).run("--help").out())
                .contains("\u001b[");
        assertThat(new CommandRun()
                        .terminals(true, true, true)
                        .variable("NO_COLOR", "1")
                        .run("--help")
                        .out())
                .doesNotContain("\u001b[");
    }

    @ParameterizedTest
    @CsvSource({
        "stream, 'create list describe update delete seal'",
        "stream create, '--replicas --max-record-bytes --label --server'",
        "stream list, 'PREFIX --server'",
        "stream describe, 'NAME'",
        "stream update, '--max-record-bytes --label --remove-label --expected-revision'",
        "stream delete, '--yes'",
        "stream seal, 'NAME'",
        "append, '--per --key --header --expected-end --format --timeout'",
        "tail, '-n --follow --from --per --mode --replica'",
        "read, '--from --to --limit --per --mode --replica'",
        "truncate, '--before --dry-run'",
        "cluster, 'status'",
        "cluster status, '--server'",
        "segment, 'dump verify'",
        "segment dump, 'FILE --records'",
        "segment verify, 'FILE'",
        "completion, 'bash zsh'",
    })
    void everyCommandExplainsItself(String command, String expected) {
        String[] arguments = (command + " --help").split(" ", -1);
        CommandRun run = new CommandRun().run(arguments);

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("Usage: tidemark " + command).contains(expected.split(" ", -1));
    }

    @Test
    void helpOfACommandCanBeAskedForBothWays() {
        assertThat(new CommandRun().run("help", "append").out())
                .isEqualTo(new CommandRun().run("append", "--help").out());
    }

    @Test
    void versionIsPrinted() {
        assertThat(new CommandRun().run("--version").out()).startsWith("tidemark ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nonsense",
                "stream",
                "stream nonsense",
                "stream create",
                "stream create a b",
                "stream create a --replicas x",
                "stream create a --label nonsense",
                "stream update a",
                "stream delete a",
                "append",
                "append s --per nonsense",
                "append s --expected-end -1",
                "append s --header nonsense",
                "append s --header =x",
                "append s no-such-file",
                "tail s -n 5 --from 3",
                "tail s -n -1",
                "tail s --from nonsense",
                "read s --limit 0",
                "read s --to start",
                "read s --from 2024-13-01",
                "read s --replica 127.0.0.1:1 --mode leader",
                "read s --per line -o json",
                "read s -o nonsense",
                "truncate s",
                "truncate s --before yesterday",
                "cluster status -o raw",
                "cluster status --timeout 5",
                "cluster status --timeout 0s",
                "cluster status --server host:0",
                "cluster status --server host:99999",
                "cluster status --server host:x",
                "cluster status --server ,",
                "segment",
                "segment verify",
                "segment verify no-such-file",
                "completion fish",
                "server --data x",
            })
    void wrongUseIsOneLineAndExitTwo(String command) {
        CommandRun run = new CommandRun().run(command.isEmpty() ? new String[0] : command.split(" ", -1));

        assertThat(run.exitCode()).as(run.toString()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).startsWith("tidemark: ").endsWith("\n").containsOnlyOnce("\n");
    }

    @Test
    void malformedPlacesSayWhatIsAccepted() {
        assertThat(new CommandRun().run("tail", "s", "--from", "5 minutes").err())
                .contains("--from", "'5 minutes'", "RFC 3339", "@1714564800000", "5m ago");
    }

    @Test
    void serverPointsToTheLauncher() {
        assertThat(new CommandRun().run("server", "--data", "x").err()).contains("bin/tidemark server");
    }

    @Test
    void globalOptionsStandBeforeOrBehindTheCommand() {
        for (String[] arguments : new String[][] {
            {"--server", "nonsense:0", "cluster", "status"}, {"cluster", "status", "--server", "nonsense:0"}
        }) {
            assertThat(new CommandRun().run(arguments).err()).contains("--server: port must be 1 to 65535");
        }
    }

    @Test
    void serversComeFromTheEnvironment() {
        assertThat(new CommandRun()
                        .variable("TIDEMARK_SERVERS", "nonsense:0")
                        .run("cluster", "status")
                        .err())
                .contains("port must be 1 to 65535");
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash", "zsh"})
    void completionKnowsTheCommands(String shell) {
        CommandRun run = new CommandRun().run("completion", shell);

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("tidemark", "append", "truncate", "--replicas", "complete -F");
    }

    @Test
    void stackTracesAreForDebuggingOnly() {
        assertThat(new CommandRun().run("stream", "delete", "a").err()).doesNotContain("\tat ");
        assertThat(new CommandRun().run("stream", "delete", "a", "--debug").err())
                .contains("\tat ");
        assertThat(new CommandRun()
                        .variable("TIDEMARK_DEBUG", "1")
                        .run("stream", "delete", "a")
                        .err())
                .contains("\tat ");
    }
}
