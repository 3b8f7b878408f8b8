package tidemark.chaos.process;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The unpacked distribution under test: what a user would run. */
public record Distribution(Path directory) {
    /** The one that the build has just made, as the build says in a system property. */
    public static Distribution built() {
        String directory = System.getProperty("tidemark.dist");
        if (directory == null || !Files.isExecutable(Path.of(directory, "bin", "tidemark"))) {
            throw new IllegalStateException(
                    "no distribution at " + directory + " (system property tidemark.dist): build it first");
        }
        return new Distribution(Path.of(directory));
    }

    /** The command line of {@code tidemark} with arguments. */
    public List<String> command(String... arguments) {
        List<String> command = new java.util.ArrayList<>();
        command.add(directory.resolve("bin").resolve("tidemark").toString());
        command.addAll(List.of(arguments));
        return command;
    }
}
