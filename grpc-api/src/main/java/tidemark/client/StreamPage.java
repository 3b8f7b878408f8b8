package tidemark.client;

import java.util.ArrayList;
import java.util.List;

/**
 * One page of a list of streams.
 *
 * @param streams in order of their names, without bounds and stored bytes
 * @param nextPageToken asks for the page behind this one; empty on the last page
 */
public record StreamPage(List<StreamInfo> streams, String nextPageToken) {
    /** Copies the list. */
    public StreamPage {
        streams = List.copyOf(streams);
    }

    static List<StreamInfo> all(TidemarkClient client, String prefix) {
        List<StreamInfo> all = new ArrayList<>();
        String token = "";
        do {
            StreamPage page = Futures.join(client.listStreamsAsync(prefix, 0, token));
            all.addAll(page.streams());
            token = page.nextPageToken();
        } while (!token.isEmpty());
        return all;
    }
}
