package tidemark.client;

import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * A connection to a cluster. Thread-safe; make one and share it. Nothing is connected before the first call.
 *
 * <p>Every call comes as {@code xAsync}, whose future fails with a {@link TidemarkException}, and as {@code x}, which waits and
 * throws it. Stages that run on the futures must not block: they run on threads that also carry the answers of other calls.
 *
 * <p><b>Which server is asked.</b> A call about a stream goes to the server believed to lead it, else to one that answered
 * before. It asks that server not to forward, so that a wrong belief is corrected (NOT_LEADER tells the leader) and calls take one
 * hop from then on. If the leader is not known or cannot be reached from here, the call goes to a server that can be reached,
 * and that one forwards. So one reachable server is enough, whatever addresses the cluster advertises. Other calls go to any
 * server. Members beyond the given addresses are learned on the way.
 *
 * <p><b>What is repeated.</b> Reads, and writes that do no harm twice, are repeated until the request timeout, with growing
 * pauses. Appenders repeat without writing twice. A single append is repeated only when the failed attempt is definitely not written, or when it has an expected end.
 * When the time is over and any attempt may have been written, the answer is {@link TidemarkException.Indeterminate}.
 */
public interface TidemarkClient extends AutoCloseable {
    /** A client with default options that starts with the servers of a list like {@code host:port,host:port}. */
    static TidemarkClient connect(String servers) {
        return connect(Endpoint.parseList(servers), ClientOptions.defaults());
    }

    /** A client that starts with these servers, at least one. */
    static TidemarkClient connect(List<Endpoint> servers, ClientOptions options) {
        return GrpcClient.connect(servers, options);
    }

    // ---- appending

    /**
     * Appends records atomically, at consecutive offsets.
     *
     * @param expectedEnd if present, only if the stream's end is this offset, else {@link TidemarkException.EndConflict}.
     *     Makes repetition safe; a conflict after an attempt whose answer was lost is {@link TidemarkException.Indeterminate},
     *     since that attempt itself may have moved the end
     */
    CompletableFuture<AppendResult> appendAsync(String stream, List<LogRecord> records, OptionalLong expectedEnd);

    /** Appends without a condition. */
    default CompletableFuture<AppendResult> appendAsync(String stream, LogRecord... records) {
        return appendAsync(stream, List.of(records), OptionalLong.empty());
    }

    /** Waits for {@link #appendAsync(String, List, OptionalLong)}. */
    default AppendResult append(String stream, List<LogRecord> records, OptionalLong expectedEnd) {
        return Futures.join(appendAsync(stream, records, expectedEnd));
    }

    /** Appends without a condition, and waits. */
    default AppendResult append(String stream, LogRecord... records) {
        return append(stream, List.of(records), OptionalLong.empty());
    }

    /** Opens an appender: for more than a few records. Does not wait; whether the stream exists shows at the first record. */
    Appender openAppender(String stream, AppenderOptions options);

    /** Opens an appender with default options. */
    default Appender openAppender(String stream) {
        return openAppender(stream, AppenderOptions.defaults());
    }

    // ---- reading

    /** Opens a reader that its user pulls from. Does not wait; failures show at its first record. */
    RecordReader read(String stream, ReadOptions options);

    /** Reads on the client's threads. */
    Subscription subscribe(String stream, ReadOptions options, ReadListener listener);

    /** The bounds of the stream now, by default as {@link ReadMode#LINEARIZABLE}. */
    CompletableFuture<StreamTail> tailAsync(String stream, ReadMode mode);

    /** Waits for {@link #tailAsync}. */
    default StreamTail tail(String stream, ReadMode mode) {
        return Futures.join(tailAsync(stream, mode));
    }

    /** The bounds of the stream now: reflects every append acknowledged before. */
    default StreamTail tail(String stream) {
        return tail(stream, ReadMode.LINEARIZABLE);
    }

    /** The bounds as one server's replica has them, asked of no other server. */
    CompletableFuture<StreamTail> replicaTailAsync(Endpoint replica, String stream);

    /** Waits for {@link #replicaTailAsync}. */
    default StreamTail replicaTail(Endpoint replica, String stream) {
        return Futures.join(replicaTailAsync(replica, stream));
    }

    // ---- truncating

    /**
     * Makes all records before a position unreadable.
     *
     * @param dryRun says what would be removed, removes nothing
     * @param expectedStart if present, only if the stream's start is this, else {@link TidemarkException.StartConflict}
     * @return what was removed. If an attempt's answer was lost and the repetition found nothing left to do, its numbers say
     *     so (0 removed). Positions that move with the stream ({@code last}, {@code end}) are not repeated after a lost answer:
     *     {@link TidemarkException.Indeterminate}
     */
    CompletableFuture<TruncateResult> truncateAsync(
            String stream, LogPosition before, boolean dryRun, OptionalLong expectedStart);

    /** Waits for {@link #truncateAsync}. */
    default TruncateResult truncate(String stream, LogPosition before, boolean dryRun, OptionalLong expectedStart) {
        return Futures.join(truncateAsync(stream, before, dryRun, expectedStart));
    }

    /** Truncates without a condition, and waits. */
    default TruncateResult truncate(String stream, LogPosition before) {
        return truncate(stream, before, false, OptionalLong.empty());
    }

    // ---- streams and the cluster

    /** Creates a stream and completes when it takes appends. One that exists with the same settings is fine. */
    CompletableFuture<CreateResult> createStreamAsync(String stream, StreamSettings settings);

    /** Waits for {@link #createStreamAsync}. */
    default CreateResult createStream(String stream, StreamSettings settings) {
        return Futures.join(createStreamAsync(stream, settings));
    }

    /** Describes a stream. */
    CompletableFuture<StreamInfo> getStreamAsync(String stream);

    /** Waits for {@link #getStreamAsync}. */
    default StreamInfo getStream(String stream) {
        return Futures.join(getStreamAsync(stream));
    }

    /** One page of streams in order of their names; the first one for an empty token. Page size: 1 to 1,000, or 0 for 1,000. */
    CompletableFuture<StreamPage> listStreamsAsync(String prefix, int pageSize, String pageToken);

    /** All streams whose names start with a prefix, in order of their names, without bounds; waits for all pages. */
    default List<StreamInfo> listStreams(String prefix) {
        return StreamPage.all(this, prefix);
    }

    /** Changes settings. */
    CompletableFuture<StreamInfo> updateStreamAsync(String stream, StreamUpdate update);

    /** Waits for {@link #updateStreamAsync}. */
    default StreamInfo updateStream(String stream, StreamUpdate update) {
        return Futures.join(updateStreamAsync(stream, update));
    }

    /**
     * Deletes a stream and all its records for good. Looks the stream's id up first, so that a repetition never deletes a
     * newer stream of the same name.
     */
    CompletableFuture<Void> deleteStreamAsync(String stream);

    /** Waits for {@link #deleteStreamAsync}. */
    default void deleteStream(String stream) {
        Futures.join(deleteStreamAsync(stream));
    }

    /** Ends a stream for good; completes with its final end. */
    CompletableFuture<Long> sealStreamAsync(String stream);

    /** Waits for {@link #sealStreamAsync}. */
    default long sealStream(String stream) {
        return Futures.join(sealStreamAsync(stream));
    }

    /** Servers, groups and leaders as the answering server sees them. */
    CompletableFuture<ClusterInfo> describeClusterAsync();

    /** Waits for {@link #describeClusterAsync}. */
    default ClusterInfo describeCluster() {
        return Futures.join(describeClusterAsync());
    }

    /** The cluster as one server sees it, asked of no other server. */
    CompletableFuture<ClusterInfo> describeClusterAsync(Endpoint server);

    /**
     * Ends calls, appenders and readers (their outcome is that of a lost connection or {@link TidemarkException.Closed}) and
     * closes connections. Does not wait for the network.
     */
    @Override
    void close();
}
