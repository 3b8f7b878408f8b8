package tidemark.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.UnknownFieldSet;
import org.junit.jupiter.api.Test;
import tidemark.v1.AppendRequest;
import tidemark.v1.CreateStreamRequest;
import tidemark.v1.Header;
import tidemark.v1.Position;
import tidemark.v1.Record;
import tidemark.v1.StreamSettings;
import tidemark.v1.TruncateRequest;

class UnknownFieldsTest {
    private static final UnknownFieldSet UNKNOWN = UnknownFieldSet.newBuilder()
            .addField(99, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
            .build();

    @Test
    void whatIsKnownPasses() {
        assertThat(UnknownFields.find(AppendRequest.newBuilder()
                        .setStream("s")
                        .setAckLevelValue(1)
                        .addRecords(Record.newBuilder()
                                .addHeaders(Header.newBuilder().setName("h")))
                        .build()))
                .isNull();
        assertThat(UnknownFields.find(CreateStreamRequest.newBuilder()
                        .setSettings(StreamSettings.newBuilder().putLabels("a", "b"))
                        .build()))
                .isNull();
    }

    @Test
    void thePathLeadsToWhatIsUnknown() {
        Record known =
                Record.newBuilder().addHeaders(Header.newBuilder().setName("h")).build();
        Record unknown = Record.newBuilder()
                .addHeaders(Header.newBuilder())
                .addHeaders(Header.newBuilder().setUnknownFields(UNKNOWN))
                .build();

        assertThat(UnknownFields.find(
                        AppendRequest.newBuilder().setUnknownFields(UNKNOWN).build()))
                .isEqualTo("99");
        assertThat(UnknownFields.find(AppendRequest.newBuilder()
                        .addRecords(known)
                        .addRecords(unknown)
                        .build()))
                .isEqualTo("records[1].headers[1].99");
        assertThat(UnknownFields.find(
                        AppendRequest.newBuilder().setAckLevelValue(9).build()))
                .isEqualTo("ack_level");
        assertThat(UnknownFields.find(TruncateRequest.newBuilder()
                        .setBefore(Position.newBuilder()
                                .setEnd(Position.End.newBuilder().setUnknownFields(UNKNOWN)))
                        .build()))
                .isEqualTo("before.end.99");
    }
}
