package tidemark.cli.command;

import java.util.List;
import tidemark.client.ClientOptions;
import tidemark.client.Endpoint;
import tidemark.client.TidemarkClient;

/** A command that talks to servers. */
abstract class OnlineCommand extends Subcommand {

    /** Does it, with a client that is closed afterwards. */
    abstract void run(TidemarkClient client, Output output) throws Exception;

    /** Checks the arguments and whatever else can fail before a server is asked. */
    void prepare(OutputFormat format) throws Exception {}

    @Override
    final void run(Output output) throws Exception {
        prepare(output.format());
        ClientOptions options;
        try {
            options = ClientOptions.defaults().withRequestTimeout(globals().timeout());
        } catch (IllegalArgumentException e) {
            throw new UsageException("--timeout: must be more than 0 and at most 365 days");
        }
        List<Endpoint> servers;
        try {
            servers = Endpoint.parseList(globals().servers());
        } catch (IllegalArgumentException e) {
            throw new UsageException(globals().serversSource() + ": " + e.getMessage());
        }
        try (TidemarkClient client = surroundings().clients().connect(servers, options)) {
            run(client, output);
        }
    }
}
