package tidemark.statemachine.model;

/** What applying one command did. A value, the same on every replica. */
public sealed interface Outcome {
    /**
     * A batch was appended, now or (a repeat of an idempotent append) before.
     *
     * @param duplicate it was appended before; the other values are those of that time
     */
    record Appended(long baseOffset, long endOffset, long timestampMs, long term, boolean duplicate)
            implements Outcome {}

    /**
     * A truncation took place, or had nothing to do.
     *
     * @param freedBytes bytes of whole segments that can now be deleted
     */
    record Truncated(long previousStart, long start, long freedBytes) implements Outcome {}

    /** A stream is sealed, now or since before. */
    record Sealed(long endOffset) implements Outcome {}

    /** A command without a result of its own took effect, or had nothing to do. */
    record Done() implements Outcome {}

    /** The catalog created, changed or deleted a stream. {@code changed} is false where there was nothing to do. */
    record StreamChanged(StreamEntry stream, boolean changed) implements Outcome {}

    /** Not applied; nothing changed. */
    sealed interface Rejected extends Outcome {}

    /** The group or the catalog has no such stream. */
    record UnknownStream() implements Rejected {}

    /** The stream takes no more appends. */
    record StreamSealed(long endOffset) implements Rejected {}

    /** The stream's end is not the expected one. */
    record EndConflict(long expectedEnd, long actualEnd, long lastTimestampMs) implements Rejected {}

    /** The stream's start is not the expected one. */
    record StartConflict(long expectedStart, long startOffset, long endOffset) implements Rejected {}

    /** An idempotent append that does not follow the writer's last one: one in between was not applied. */
    record OutOfSequence(long sequence, long nextSequence) implements Rejected {}

    /** An idempotent append of a writer that is not remembered, and not its first. */
    record UnknownWriter(long sequence) implements Rejected {}

    /** A repeat of an idempotent append that was applied too long ago to remember its offsets. */
    record SequenceExpired(long sequence, long nextSequence) implements Rejected {}

    /** A truncation beyond the end. */
    record BeyondEnd(long requested, long startOffset, long endOffset) implements Rejected {}

    /** A stream of this name exists with other settings. */
    record StreamExists(StreamEntry existing) implements Rejected {}

    /** The stream's settings were changed since the expected revision. */
    record RevisionConflict(long expected, long actual) implements Rejected {}

    /** Fewer servers than wanted replicas. */
    record NotEnoughServers(int wanted, int available) implements Rejected {}

    /** The command broke a rule that the leader should have checked before proposing it. */
    record Invalid(String problem) implements Rejected {}
}
