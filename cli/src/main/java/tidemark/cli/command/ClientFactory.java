package tidemark.cli.command;

import java.util.List;
import tidemark.client.ClientOptions;
import tidemark.client.Endpoint;
import tidemark.client.TidemarkClient;

/** Makes the client that a command talks through. */
@FunctionalInterface
public interface ClientFactory {
    /** A client of the cluster that these servers belong to. Whoever asked for it closes it. */
    TidemarkClient connect(List<Endpoint> servers, ClientOptions options);
}
