package tidemark.server.raft;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;
import tidemark.statemachine.model.Outcome;

/**
 * An entry on its way. Ratis carries this very object from the submission to the applying on the leader, so it can bring the outcomes
 * back without any encoding.
 *
 * <p>States: submitted, then handed to the log, then applied. What fails before it was handed to the log was never written.
 */
final class Proposal implements Message {
    private final ByteString content;
    private final long madeNanos;
    private final CompletableFuture<List<Outcome>> result = new CompletableFuture<>();
    private volatile boolean handedToLog;
    private volatile @Nullable List<Outcome> outcomes;

    Proposal(ByteString content, long madeNanos) {
        this.content = content;
        this.madeNanos = madeNanos;
    }

    @Override
    public ByteString getContent() {
        return content;
    }

    long madeNanos() {
        return madeNanos;
    }

    /** What the proposer waits for; whoever completes it first decides. */
    CompletableFuture<List<Outcome>> result() {
        return result;
    }

    /** From now on it may be written. */
    void handToLog() {
        handedToLog = true;
    }

    boolean handedToLog() {
        return handedToLog;
    }

    void applied(List<Outcome> newOutcomes) {
        outcomes = newOutcomes;
    }

    @Nullable List<Outcome> outcomes() {
        return outcomes;
    }
}
