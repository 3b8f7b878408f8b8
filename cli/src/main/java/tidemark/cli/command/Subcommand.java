package tidemark.cli.command;

import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What all commands that do something have in common. */
abstract class Subcommand implements Callable<Integer> {
    @Spec
    private @Nullable CommandSpec spec;

    /** Does it. Failures are thrown: see Failure for what becomes of them. */
    abstract void run(Output output) throws Exception;

    @Override
    public final Integer call() throws Exception {
        if (globals().format() == OutputFormat.RAW && !allowsRaw()) {
            throw new UsageException("raw is a format of records: use it with read or tail; here: text or json");
        }
        Output output = new Output(surroundings().out(), globals().format());
        run(output);
        output.flush();
        return Exit.OK;
    }

    /** Whether the format raw means something here. */
    boolean allowsRaw() {
        return false;
    }

    final CommandSpec spec() {
        return Objects.requireNonNull(spec, "set by picocli");
    }

    final TidemarkCommand globals() {
        return (TidemarkCommand) spec().root().userObject();
    }

    final Surroundings surroundings() {
        return globals().surroundings();
    }
}
