package tidemark.statemachine.machine;

import com.google.protobuf.ByteString;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tidemark.engine.proto.WriterState;
import tidemark.statemachine.model.Outcome;

/**
 * The idempotent writers that one stream remembers, and the answers it gave them, so that an append sent again is answered and not
 * applied again. What cannot be told apart from a repeat is rejected.
 *
 * <p>A pure function of the applied appends, so equal on all replicas: {@link #check} before applying an append, {@link #record} after.
 * Owned by the applier; not for other threads.
 */
final class WriterTable {
    /** Writers remembered; of more, those that appended longest ago are forgotten. */
    static final int WRITERS_MAX = 1_000;

    /** Answers remembered of each writer: at least the appends that one session may have in flight. */
    static final int ANSWERS_MAX = 64;

    /** Bytes of a writer id. */
    static final int WRITER_ID_BYTES = 16;

    /** From the writer that appended longest ago to the latest. */
    private final Map<ByteString, Writer> writers = new LinkedHashMap<>();

    /** Says what to answer instead of applying the append; empty if it is the writer's next one and is to be applied. */
    Optional<Outcome> check(ByteString writerId, long sequence) {
        Writer writer = writers.get(writerId);
        if (writer == null) {
            return sequence == 0 ? Optional.empty() : Optional.of(new Outcome.UnknownWriter(sequence));
        }
        long next = writer.nextSequence;
        if (sequence == next) {
            return Optional.empty();
        }
        if (sequence > next) {
            return Optional.of(new Outcome.OutOfSequence(sequence, next));
        }
        return Optional.of(writer.answer(sequence)
                .<Outcome>map(answer -> answer)
                .orElseGet(() -> new Outcome.SequenceExpired(sequence, next)));
    }

    /** Remembers that an append which {@link #check} let pass was applied. */
    void record(ByteString writerId, Outcome.Appended answer) {
        // Taken out and put back, so that the map stays in order of the last append.
        Writer writer = writers.remove(writerId);
        if (writer == null) {
            writer = new Writer(0);
            forgetOldestIfFull();
        }
        writer.add(answer);
        // The id may be a slice of a whole entry: a copy does not keep the entry's bytes alive.
        writers.put(ByteString.copyFrom(writerId.asReadOnlyByteBuffer()), writer);
    }

    private void forgetOldestIfFull() {
        if (writers.size() >= WRITERS_MAX) {
            Iterator<ByteString> oldest = writers.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
    }

    /** The table for the manifest, oldest writer first. */
    List<WriterState> toProto() {
        List<WriterState> states = new ArrayList<>(writers.size());
        writers.forEach((id, writer) -> states.add(writer.toProto(id)));
        return states;
    }

    static WriterTable fromProto(List<WriterState> states) {
        WriterTable table = new WriterTable();
        for (WriterState state : states) {
            table.writers.put(state.getWriterId(), Writer.fromProto(state));
        }
        return table;
    }

    private static final class Writer {
        private long nextSequence;
        private final Deque<Outcome.Appended> answers = new ArrayDeque<>();

        Writer(long nextSequence) {
            this.nextSequence = nextSequence;
        }

        void add(Outcome.Appended answer) {
            if (answers.size() == ANSWERS_MAX) {
                answers.removeFirst();
            }
            answers.addLast(new Outcome.Appended(
                    answer.baseOffset(), answer.endOffset(), answer.timestampMs(), answer.term(), true));
            nextSequence++;
        }

        /** The answer given to an earlier sequence, if it is still remembered. */
        Optional<Outcome.Appended> answer(long sequence) {
            long skip = sequence - (nextSequence - answers.size());
            return skip < 0 ? Optional.empty() : answers.stream().skip(skip).findFirst();
        }

        WriterState toProto(ByteString id) {
            WriterState.Builder state = WriterState.newBuilder().setWriterId(id).setNextSequence(nextSequence);
            for (Outcome.Appended answer : answers) {
                state.addAnswers(WriterState.Answer.newBuilder()
                        .setBaseOffset(answer.baseOffset())
                        .setEndOffset(answer.endOffset())
                        .setTimestampMs(answer.timestampMs())
                        .setTerm(answer.term()));
            }
            return state.build();
        }

        static Writer fromProto(WriterState state) {
            Writer writer = new Writer(state.getNextSequence());
            for (WriterState.Answer answer : state.getAnswersList()) {
                writer.answers.addLast(new Outcome.Appended(
                        answer.getBaseOffset(),
                        answer.getEndOffset(),
                        answer.getTimestampMs(),
                        answer.getTerm(),
                        true));
            }
            return writer;
        }
    }
}
