package tidemark.statemachine.machine;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import tidemark.statemachine.model.Outcome;

class WriterTableTest {
    private final WriterTable table = new WriterTable();

    @Test
    void aNewWriterStartsAtZeroAndOnlyThere() {
        assertThat(table.check(writer(1), 0)).isEmpty();
        assertThat(table.check(writer(1), 1)).contains(new Outcome.UnknownWriter(1));
    }

    @Test
    void aRepeatIsAnsweredAsTheFirstTime() {
        appendAll(writer(1), 3);
        assertThat(table.check(writer(1), 1)).contains(new Outcome.Appended(10, 20, 1_001, 7, true));
        assertThat(table.check(writer(1), 3)).isEmpty();
    }

    @Test
    void aGapIsRejectedWithTheSequenceToGoOnWith() {
        appendAll(writer(1), 3);
        assertThat(table.check(writer(1), 4)).contains(new Outcome.OutOfSequence(4, 3));
    }

    @Test
    void aRepeatOlderThanTheAnswersKeptIsRejectedNotApplied() {
        appendAll(writer(1), WriterTable.ANSWERS_MAX + 2);
        assertThat(table.check(writer(1), 1)).contains(new Outcome.SequenceExpired(1, WriterTable.ANSWERS_MAX + 2L));
        assertThat(table.check(writer(1), 2)).containsInstanceOf(Outcome.Appended.class);
    }

    @Test
    void theWriterThatAppendedLongestAgoIsForgottenFirst() {
        for (int w = 0; w < WriterTable.WRITERS_MAX; w++) {
            appendAll(writer(w), 1);
        }
        table.record(writer(0), answer(1));
        appendAll(writer(WriterTable.WRITERS_MAX), 1);

        assertThat(table.check(writer(0), 1)).containsInstanceOf(Outcome.Appended.class);
        assertThat(table.check(writer(1), 1)).contains(new Outcome.UnknownWriter(1));
        assertThat(table.check(writer(2), 0)).containsInstanceOf(Outcome.Appended.class);
    }

    @Test
    void theTableComesBackFromTheManifestAsItWas() {
        appendAll(writer(2), 70);
        appendAll(writer(1), 3);
        WriterTable copy = WriterTable.fromProto(table.toProto());

        assertThat(copy.toProto()).isEqualTo(table.toProto());
        assertThat(copy.check(writer(2), 69)).isEqualTo(table.check(writer(2), 69));
        assertThat(copy.check(writer(2), 5)).contains(new Outcome.SequenceExpired(5, 70));
        assertThat(copy.check(writer(1), 3)).isEmpty();
    }

    private void appendAll(ByteString writer, int count) {
        for (int sequence = 0; sequence < count; sequence++) {
            assertThat(table.check(writer, sequence)).isEmpty();
            table.record(writer, answer(sequence));
        }
    }

    private static Outcome.Appended answer(int sequence) {
        return new Outcome.Appended(sequence * 10L, sequence * 10L + 10, 1_000L + sequence, 7, false);
    }

    private static ByteString writer(int number) {
        return ByteString.copyFrom(ByteBuffer.allocate(WriterTable.WRITER_ID_BYTES)
                .putInt(number)
                .flip()
                .limit(16));
    }
}
