package tidemark.client;

import java.util.List;

/**
 * Takes what a subscription reads. Calls come one at a time, in order, from a thread of the client; a listener may block,
 * which holds the server back. A listener that throws ends its subscription. After {@link #onEnd} or {@link #onFailure} nothing more comes.
 */
public interface ReadListener {
    /** Consecutive records, at least one. The next ones are asked for when this returns. */
    void onRecords(List<StoredLogRecord> records, ReadProgress progress);

    /** The reader has delivered the newest record of the replica that serves it. May come again after new records. */
    default void onCaughtUp(ReadProgress progress) {}

    /** Everything that was asked for was delivered; {@link ReadProgress#endOfStream} says whether the stream is sealed. */
    void onEnd(ReadProgress progress);

    /** The read failed for good, for example because records were truncated under it. */
    void onFailure(TidemarkException failure);
}
