package tidemark.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static tidemark.server.grpc.Calls.append;
import static tidemark.server.grpc.Calls.detail;
import static tidemark.server.grpc.Calls.readFrom;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import tidemark.v1.AppendRequest;
import tidemark.v1.CreateStreamRequest;
import tidemark.v1.DeleteStreamRequest;
import tidemark.v1.Effect;
import tidemark.v1.ErrorDetail;
import tidemark.v1.GetStreamRequest;
import tidemark.v1.GetTailRequest;
import tidemark.v1.Header;
import tidemark.v1.ListStreamsRequest;
import tidemark.v1.Position;
import tidemark.v1.ReadRequest;
import tidemark.v1.Record;
import tidemark.v1.SealStreamRequest;
import tidemark.v1.StreamSettings;
import tidemark.v1.TruncateRequest;
import tidemark.v1.UpdateStreamRequest;
import tidemark.v1.WriterSequence;

/** Bad requests: each gets its own clear error, and changes nothing. */
class ValidationTest {
    private static final UnknownFieldSet UNKNOWN = UnknownFieldSet.newBuilder()
            .addField(99, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
            .build();

    private static final FakeCluster CLUSTER = new FakeCluster(1);
    private static final FakeCluster.Node NODE = CLUSTER.node(1);

    @BeforeAll
    static void createStreams() {
        CLUSTER.create("orders");
        NODE.admin()
                .createStream(CreateStreamRequest.newBuilder()
                        .setName("small")
                        .setSettings(StreamSettings.newBuilder().setMaxRecordBytes(10))
                        .build());
    }

    @AfterAll
    static void nothingWasWritten() {
        assertThat(CLUSTER.stored("orders").endOffset()).isZero();
        assertThat(CLUSTER.stored("small").endOffset()).isZero();
        assertThat(NODE.catalog.streamCount()).isEqualTo(2);
        CLUSTER.close();
    }

    /** A bad request, the reason it gets, and a part of the field or limit that the error names. */
    private record Bad(String what, Runnable call, String reason, String names) {}

    @TestFactory
    Stream<DynamicTest> isRefused() {
        List<Bad> all = new ArrayList<>();
        all.addAll(names());
        all.addAll(appends());
        all.addAll(partsOfAppends());
        all.addAll(reads());
        all.addAll(truncations());
        all.addAll(creations());
        all.addAll(administration());
        all.addAll(unknownFields());
        return all.stream()
                .map(bad -> DynamicTest.dynamicTest(bad.what, () -> {
                    ErrorDetail detail = detail(bad.call::run);
                    assertThat(Errors.name(detail.getReason())).isEqualTo(bad.reason);
                    assertThat(detail.getEffect()).isEqualTo(Effect.EFFECT_NONE);
                    assertThat(detail.getInvalidField().getField()
                                    + detail.getLimitExceeded().getWhat())
                            .contains(bad.names);
                }));
    }

    private static List<Bad> names() {
        List<Bad> bad = new ArrayList<>();
        for (String name : List.of(
                "",
                "../x",
                "a/../b",
                "/a",
                "a/",
                "a//b",
                "a b",
                "a\0b",
                "ü",
                "-a",
                "x".repeat(256),
                "x".repeat(100_000))) {
            String shown = name.length() > 20 ? name.length() + " bytes" : name;
            bad.add(new Bad(
                    "append to '" + shown + "'",
                    () -> NODE.log().append(append(name, "a")),
                    "INVALID_FIELD",
                    "stream"));
            bad.add(new Bad(
                    "read of '" + shown + "'",
                    () -> NODE.log().read(readFrom(name, 0).build()).next(),
                    "INVALID_FIELD",
                    "stream"));
            bad.add(new Bad(
                    "create '" + shown + "'",
                    () -> NODE.admin()
                            .createStream(CreateStreamRequest.newBuilder()
                                    .setName(name)
                                    .build()),
                    "INVALID_FIELD",
                    "name"));
            bad.add(new Bad(
                    "get '" + shown + "'",
                    () -> NODE.admin()
                            .getStream(
                                    GetStreamRequest.newBuilder().setName(name).build()),
                    "INVALID_FIELD",
                    "name"));
            bad.add(new Bad(
                    "delete '" + shown + "'",
                    () -> NODE.admin()
                            .deleteStream(DeleteStreamRequest.newBuilder()
                                    .setName(name)
                                    .build()),
                    "INVALID_FIELD",
                    "name"));
            bad.add(new Bad(
                    "seal '" + shown + "'",
                    () -> NODE.admin()
                            .sealStream(
                                    SealStreamRequest.newBuilder().setName(name).build()),
                    "INVALID_FIELD",
                    "name"));
        }
        return bad;
    }

    private static Bad badAppend(String what, AppendRequest.Builder request, String reason, String names) {
        return new Bad("append: " + what, () -> NODE.log().append(request.build()), reason, names);
    }

    private static AppendRequest.Builder one(Record.Builder record) {
        return AppendRequest.newBuilder().setStream("orders").addRecords(record);
    }

    private static ByteString bytes(int count) {
        return ByteString.copyFrom(new byte[count]);
    }

    private static List<Bad> appends() {
        Record half = Record.newBuilder().setPayload(bytes(600_000)).build();
        return List.of(
                badAppend("no records", AppendRequest.newBuilder().setStream("orders"), "INVALID_FIELD", "records"),
                badAppend(
                        "65,537 records",
                        AppendRequest.newBuilder()
                                .setStream("orders")
                                .addAllRecords(Collections.nCopies(65_537, Record.getDefaultInstance())),
                        "TOO_LARGE",
                        "records"),
                badAppend(
                        "a record over 1,000,000 bytes",
                        one(Record.newBuilder().setPayload(bytes(1_000_001))),
                        "TOO_LARGE",
                        "record bytes"),
                badAppend(
                        "key and headers count too",
                        AppendRequest.newBuilder()
                                .setStream("small")
                                .addRecords(Record.newBuilder()
                                        .setPayload(bytes(4))
                                        .setKey(bytes(4))
                                        .addHeaders(
                                                Header.newBuilder().setName("h").setValue(bytes(2)))),
                        "TOO_LARGE",
                        "records[0]"),
                badAppend(
                        "a batch over 1 MiB",
                        AppendRequest.newBuilder()
                                .setStream("orders")
                                .addRecords(half)
                                .addRecords(half),
                        "TOO_LARGE",
                        "batch bytes"),
                badAppend(
                        "a message over 2 MiB",
                        one(Record.newBuilder().setPayload(bytes(3 << 20))),
                        "TOO_LARGE",
                        "message bytes"));
    }

    private static List<Bad> partsOfAppends() {
        Record.Builder manyHeaders = Record.newBuilder();
        for (int i = 0; i < 65; i++) {
            manyHeaders.addHeaders(Header.newBuilder().setName("h"));
        }
        return List.of(
                badAppend(
                        "a key over 64 KiB",
                        one(Record.newBuilder().setKey(bytes((64 << 10) + 1))),
                        "TOO_LARGE",
                        "key bytes"),
                badAppend("65 headers", one(manyHeaders), "TOO_LARGE", "headers"),
                badAppend(
                        "a header without a name",
                        one(Record.newBuilder().addHeaders(Header.newBuilder())),
                        "INVALID_FIELD",
                        "records[0].headers[0].name"),
                badAppend(
                        "a header name over 255 bytes",
                        one(Record.newBuilder().addHeaders(Header.newBuilder().setName("ü".repeat(128)))),
                        "TOO_LARGE",
                        "headers[0].name"),
                badAppend(
                        "a negative end", one(Record.newBuilder()).setExpectedEnd(-1), "INVALID_FIELD", "expected_end"),
                badAppend(
                        "a short writer id",
                        one(Record.newBuilder())
                                .setWriter(WriterSequence.newBuilder().setWriterId(bytes(15))),
                        "INVALID_FIELD",
                        "writer.writer_id"),
                badAppend(
                        "a negative sequence",
                        one(Record.newBuilder())
                                .setWriter(WriterSequence.newBuilder()
                                        .setWriterId(bytes(16))
                                        .setSequence(-1)),
                        "INVALID_FIELD",
                        "writer.sequence"));
    }

    private static Bad badRead(String what, ReadRequest.Builder request, String reason, String names) {
        return new Bad(
                "read: " + what,
                () -> NODE.log().read(request.setStream("orders").build()).next(),
                reason,
                names);
    }

    private static List<Bad> reads() {
        return List.of(
                badRead(
                        "a position without kind",
                        ReadRequest.newBuilder().setFrom(Position.newBuilder()),
                        "INVALID_FIELD",
                        "from"),
                badRead(
                        "a negative offset",
                        ReadRequest.newBuilder().setFrom(Position.newBuilder().setOffset(-1)),
                        "INVALID_FIELD",
                        "from.offset"),
                badRead(
                        "the most negative offset",
                        ReadRequest.newBuilder().setFrom(Position.newBuilder().setOffset(Long.MIN_VALUE)),
                        "INVALID_FIELD",
                        "from.offset"),
                badRead(
                        "an offset beyond the end",
                        ReadRequest.newBuilder().setFrom(Position.newBuilder().setOffset(1)),
                        "OFFSET_BEYOND_END",
                        ""),
                badRead(
                        "the farthest offset",
                        ReadRequest.newBuilder().setFrom(Position.newBuilder().setOffset(Long.MAX_VALUE)),
                        "OFFSET_BEYOND_END",
                        ""),
                badRead(
                        "a negative time",
                        ReadRequest.newBuilder().setFrom(Position.newBuilder().setTimestampMs(-5)),
                        "INVALID_FIELD",
                        "from.timestamp_ms"),
                badRead(
                        "a negative last",
                        ReadRequest.newBuilder().setFrom(Position.newBuilder().setLast(-5)),
                        "INVALID_FIELD",
                        "from.last"),
                badRead(
                        "a negative until",
                        ReadRequest.newBuilder().setUntilOffset(-1),
                        "INVALID_FIELD",
                        "until_offset"),
                badRead(
                        "a negative until time",
                        ReadRequest.newBuilder().setUntilTimestampMs(-1),
                        "INVALID_FIELD",
                        "until_timestamp_ms"),
                badRead("no records wanted", ReadRequest.newBuilder().setMaxRecords(0), "INVALID_FIELD", "max_records"),
                badRead("no bytes wanted", ReadRequest.newBuilder().setMaxBytes(0), "INVALID_FIELD", "max_bytes"),
                badRead("an unknown mode", ReadRequest.newBuilder().setModeValue(77), "UNKNOWN_FIELD", ""),
                new Bad(
                        "tail: an unknown mode",
                        () -> NODE.log()
                                .getTail(GetTailRequest.newBuilder()
                                        .setStream("orders")
                                        .setModeValue(77)
                                        .build()),
                        "UNKNOWN_FIELD",
                        ""));
    }

    private static Bad badTruncation(String what, TruncateRequest.Builder request, String reason, String names) {
        return new Bad(
                "truncate: " + what,
                () -> NODE.log().truncate(request.setStream("orders").build()),
                reason,
                names);
    }

    private static List<Bad> truncations() {
        return List.of(
                badTruncation("no position", TruncateRequest.newBuilder(), "INVALID_FIELD", "before"),
                badTruncation(
                        "a position without kind",
                        TruncateRequest.newBuilder().setBefore(Position.newBuilder()),
                        "INVALID_FIELD",
                        "before"),
                badTruncation(
                        "a negative offset",
                        TruncateRequest.newBuilder()
                                .setBefore(Position.newBuilder().setOffset(-1)),
                        "INVALID_FIELD",
                        "before.offset"),
                badTruncation(
                        "the farthest offset",
                        TruncateRequest.newBuilder()
                                .setBefore(Position.newBuilder().setOffset(Long.MAX_VALUE)),
                        "OFFSET_BEYOND_END",
                        ""),
                badTruncation(
                        "a negative start",
                        TruncateRequest.newBuilder()
                                .setBefore(Position.newBuilder().setOffset(0))
                                .setExpectedStart(-1),
                        "INVALID_FIELD",
                        "expected_start"));
    }

    private static Bad badCreation(String what, StreamSettings.Builder settings, String reason, String names) {
        CreateStreamRequest request = CreateStreamRequest.newBuilder()
                .setName("new")
                .setSettings(settings)
                .build();
        return new Bad("create: " + what, () -> NODE.admin().createStream(request), reason, names);
    }

    private static Bad badUpdate(String what, UpdateStreamRequest.Builder request, String reason, String names) {
        return new Bad(
                "update: " + what,
                () -> NODE.admin().updateStream(request.setName("orders").build()),
                reason,
                names);
    }

    private static Bad badList(String what, ListStreamsRequest.Builder request, String names) {
        return new Bad("list: " + what, () -> NODE.admin().listStreams(request.build()), "INVALID_FIELD", names);
    }

    private static List<Bad> creations() {
        StreamSettings.Builder manyLabels = StreamSettings.newBuilder();
        for (int i = 0; i < 33; i++) {
            manyLabels.putLabels("label" + i, "");
        }
        return List.of(
                badCreation(
                        "an even number of replicas",
                        StreamSettings.newBuilder().setReplicas(2),
                        "INVALID_FIELD",
                        "settings.replicas"),
                badCreation(
                        "a negative number of replicas",
                        StreamSettings.newBuilder().setReplicas(-1),
                        "INVALID_FIELD",
                        "settings.replicas"),
                badCreation(
                        "seven replicas",
                        StreamSettings.newBuilder().setReplicas(7),
                        "INVALID_FIELD",
                        "settings.replicas"),
                badCreation(
                        "more replicas than servers",
                        StreamSettings.newBuilder().setReplicas(3),
                        "NOT_ENOUGH_SERVERS",
                        ""),
                badCreation(
                        "a negative record size",
                        StreamSettings.newBuilder().setMaxRecordBytes(-1),
                        "INVALID_FIELD",
                        "max_record_bytes"),
                badCreation(
                        "a record size over the ceiling",
                        StreamSettings.newBuilder().setMaxRecordBytes(1_000_001),
                        "INVALID_FIELD",
                        "max_record_bytes"),
                badCreation("33 labels", manyLabels, "INVALID_FIELD", "labels"),
                badCreation(
                        "an empty label", StreamSettings.newBuilder().putLabels("", "x"), "INVALID_FIELD", "labels"),
                badCreation(
                        "a long label",
                        StreamSettings.newBuilder().putLabels("x".repeat(64), "x"),
                        "INVALID_FIELD",
                        "labels"),
                badCreation(
                        "a long label value",
                        StreamSettings.newBuilder().putLabels("x", "x".repeat(256)),
                        "INVALID_FIELD",
                        "labels"));
    }

    private static List<Bad> administration() {
        UpdateStreamRequest.Builder manyRemoved = UpdateStreamRequest.newBuilder();
        for (int i = 0; i < 33; i++) {
            manyRemoved.addRemoveLabels("label" + i);
        }
        return List.of(
                badUpdate(
                        "no record bytes",
                        UpdateStreamRequest.newBuilder().setMaxRecordBytes(0),
                        "INVALID_FIELD",
                        "max_record_bytes"),
                badUpdate("33 labels removed", manyRemoved, "TOO_LARGE", "remove_labels"),
                badUpdate(
                        "a label set and removed",
                        UpdateStreamRequest.newBuilder().putSetLabels("a", "b").addRemoveLabels("a"),
                        "INVALID_FIELD",
                        "remove_labels"),
                badUpdate(
                        "a negative revision",
                        UpdateStreamRequest.newBuilder().setExpectedRevision(-1),
                        "INVALID_FIELD",
                        "expected_revision"),
                badUpdate(
                        "another revision",
                        UpdateStreamRequest.newBuilder().setExpectedRevision(5),
                        "REVISION_CONFLICT",
                        ""),
                badList("a negative page", ListStreamsRequest.newBuilder().setPageSize(-1), "page_size"),
                badList("a huge page", ListStreamsRequest.newBuilder().setPageSize(1_001), "page_size"),
                badList("a made-up token", ListStreamsRequest.newBuilder().setPageToken("../"), "page_token"),
                badList(
                        "a prefix longer than any name",
                        ListStreamsRequest.newBuilder().setPrefix("x".repeat(256)),
                        "prefix"),
                new Bad(
                        "delete: a malformed id",
                        () -> NODE.admin()
                                .deleteStream(DeleteStreamRequest.newBuilder()
                                        .setName("orders")
                                        .setStreamId("1-2-3-4-5")
                                        .build()),
                        "INVALID_FIELD",
                        "stream_id"),
                new Bad(
                        "delete: another id",
                        () -> NODE.admin()
                                .deleteStream(DeleteStreamRequest.newBuilder()
                                        .setName("orders")
                                        .setStreamId("00000000-0000-0000-0000-00000000ffff")
                                        .build()),
                        "STREAM_NOT_FOUND",
                        ""));
    }

    private static List<Bad> unknownFields() {
        AppendRequest.Builder known = one(Record.newBuilder());
        return List.of(
                badAppend("an unknown field", known.clone().setUnknownFields(UNKNOWN), "UNKNOWN_FIELD", ""),
                badAppend(
                        "an unknown field of a record",
                        one(Record.newBuilder().setUnknownFields(UNKNOWN)),
                        "UNKNOWN_FIELD",
                        ""),
                badAppend(
                        "an unknown field of a header",
                        one(Record.newBuilder()
                                .addHeaders(Header.newBuilder().setName("h").setUnknownFields(UNKNOWN))),
                        "UNKNOWN_FIELD",
                        ""),
                badAppend("an unknown ack level", known.clone().setAckLevelValue(42), "UNKNOWN_FIELD", ""),
                badAppend(
                        "an unknown field of the writer",
                        known.clone()
                                .setWriter(WriterSequence.newBuilder()
                                        .setWriterId(bytes(16))
                                        .setUnknownFields(UNKNOWN)),
                        "UNKNOWN_FIELD",
                        ""),
                badTruncation(
                        "an unknown field",
                        TruncateRequest.newBuilder()
                                .setBefore(Position.newBuilder().setOffset(0).setUnknownFields(UNKNOWN)),
                        "UNKNOWN_FIELD",
                        ""),
                badCreation(
                        "an unknown setting",
                        StreamSettings.newBuilder().setUnknownFields(UNKNOWN),
                        "UNKNOWN_FIELD",
                        ""),
                badUpdate(
                        "an unknown field",
                        UpdateStreamRequest.newBuilder().setUnknownFields(UNKNOWN),
                        "UNKNOWN_FIELD",
                        ""));
    }
}
