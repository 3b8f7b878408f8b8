package tidemark.statemachine.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static tidemark.statemachine.env.Seeds.forAllSeeds;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import tidemark.statemachine.env.Crc32c;
import tidemark.statemachine.env.StorageException;
import tidemark.statemachine.model.StreamId;

class FrameCodecTest {
    private static final String PATH = "some.seg";

    private static StoredBatch draw(SplittableRandom random) {
        byte[] body = new byte[random.nextInt(300)];
        random.nextBytes(body);
        int compression = random.nextInt(4);
        int uncompressed = compression == 0 ? body.length : random.nextInt(1_000);
        Batch batch =
                Batch.of(random.nextInt(1, Batch.RECORDS_MAX + 1), compression, uncompressed, ByteBuffer.wrap(body));
        return new StoredBatch(
                random.nextLong(1L << 40),
                random.nextLong(1L << 42),
                random.nextLong(100),
                random.nextLong(1L << 40),
                batch);
    }

    private static byte[] encode(StoredBatch stored) {
        ByteBuffer bytes = ByteBuffer.allocate(FrameCodec.frameBytes(stored.batch()));
        FrameCodec.encode(bytes, stored);
        assertThat(bytes.hasRemaining()).isFalse();
        return bytes.array();
    }

    private static StoredBatch decode(ByteBuffer bytes) throws StorageException {
        FrameHeader header = FrameCodec.header(PATH, 1_000, bytes);
        return FrameCodec.batch(PATH, 1_000, header, bytes);
    }

    @Test
    void whatIsWrittenIsRead() {
        forAllSeeds(500, random -> {
            StoredBatch stored = draw(random);
            byte[] frame = encode(stored);
            int before = random.nextInt(5);
            ByteBuffer bytes = ByteBuffer.allocate(before + frame.length + random.nextInt(5));
            bytes.put(before, frame).position(before);
            StoredBatch decoded = decode(bytes);
            assertThat(decoded).isEqualTo(stored);
            assertThat(decoded.batch().isIntact()).isTrue();
            assertThat(FrameCodec.header(PATH, 0, bytes).frameBytes()).isEqualTo(frame.length);
            assertThat(FrameCodec.header(PATH, 0, bytes).endOffset()).isEqualTo(stored.endOffset());
        });
    }

    @Test
    void theBodyIsNotCopied() throws Exception {
        byte[] frame = encode(draw(new SplittableRandom(1)));
        ByteBuffer bytes = ByteBuffer.wrap(frame);
        StoredBatch decoded = decode(bytes);
        byte first = decoded.batch().body().get(0);
        frame[FrameCodec.HEADER_BYTES] ^= 1;
        assertThat(decoded.batch().body().get(0)).isNotEqualTo(first);
    }

    @Test
    void anyCutIsFound() {
        forAllSeeds(30, random -> {
            byte[] frame = encode(draw(random));
            for (int length = 0; length < frame.length; length++) {
                ByteBuffer cut = ByteBuffer.wrap(frame, 0, length);
                assertThatThrownBy(() -> decode(cut)).isInstanceOf(StorageException.Corrupt.class);
            }
        });
    }

    @Test
    void anyFlippedBitIsFound() {
        forAllSeeds(20, random -> {
            byte[] frame = encode(draw(random));
            for (int bit = 0; bit < frame.length * 8; bit++) {
                frame[bit / 8] ^= (byte) (1 << bit % 8);
                assertThatThrownBy(() -> decode(ByteBuffer.wrap(frame))).isInstanceOf(StorageException.Corrupt.class);
                frame[bit / 8] ^= (byte) (1 << bit % 8);
            }
        });
    }

    @Test
    void errorsSayWhereAndWhat() {
        byte[] frame = encode(draw(new SplittableRandom(2)));
        frame[0] ^= 1;
        assertThatThrownBy(() -> decode(ByteBuffer.wrap(frame)))
                .hasMessage("corrupt: some.seg at byte 1000: expected a frame's marker 4d54, found 4d55");
        frame[0] ^= 1;
        frame[frame.length - 1] ^= 1;
        assertThatThrownBy(() -> decode(ByteBuffer.wrap(frame)))
                .hasMessageContaining("some.seg at byte " + (1_000 + FrameCodec.BATCH_CRC_AT))
                .hasMessageContaining("expected CRC32C");
    }

    @Test
    void newerAndOlderVersionsAreTwoErrorsOfTheirOwn() {
        assertThatThrownBy(() -> decode(ByteBuffer.wrap(withVersion(7))))
                .isInstanceOf(StorageException.UnsupportedVersion.class)
                .hasMessageContaining("too new: some.seg at byte 1000 has format version 7");
        assertThatThrownBy(() -> decode(ByteBuffer.wrap(withVersion(0))))
                .isInstanceOf(StorageException.UnsupportedVersion.class)
                .hasMessageContaining("too old");
    }

    private static byte[] withVersion(int version) {
        byte[] frame = encode(draw(new SplittableRandom(3)));
        ByteBuffer bytes = ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putShort(FrameCodec.VERSION_AT, (short) version);
        int crc = Crc32c.of(bytes.slice(0, FrameCodec.HEADER_CRC_AT), bytes.slice(FrameCodec.BASE_AT, 52));
        bytes.putInt(FrameCodec.HEADER_CRC_AT, crc);
        return frame;
    }

    /** The bytes are a promise to files that exist: a change of them needs a new version. */
    @Test
    void theBytesStayWhatTheyAre() {
        Batch batch = Batch.of(2, 0, 3, ByteBuffer.wrap(new byte[] {1, 2, 3}));
        byte[] frame = encode(new StoredBatch(5, 1_700_000_000_000L, 7, 9, batch));
        assertThat(java.util.HexFormat.of().formatHex(frame)).isEqualTo(GOLDEN);
    }

    private static final String GOLDEN =
            "544d01004c095bc4" + "0500000000000000" + "0068e5cf8b010000" + "0700000000000000" + "0900000000000000"
                    + "13000000" + "02000000" + "00000000" + "03000000" + "2e0a42b5" + "010203";

    @Test
    void segmentHeadersAreReadAsWritten() throws Exception {
        SegmentHeader header = new SegmentHeader(new StreamId(new UUID(0x0102030405060708L, -9)), 77);
        ByteBuffer bytes = ByteBuffer.allocate(SegmentHeader.BYTES);
        header.encode(bytes);
        assertThat(SegmentHeader.decode(PATH, bytes.flip())).isEqualTo(header);
        header.check(PATH, bytes);
        SegmentHeader other = new SegmentHeader(header.stream(), 78);
        assertThatThrownBy(() -> other.check(PATH, bytes)).hasMessageContaining("expected base offset 78, found 77");
        for (int bit = 0; bit < SegmentHeader.BYTES * 8; bit++) {
            byte[] damaged = bytes.array().clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            assertThatThrownBy(() -> SegmentHeader.decode(PATH, ByteBuffer.wrap(damaged)))
                    .isInstanceOf(StorageException.Corrupt.class);
        }
        for (int length = 0; length < SegmentHeader.BYTES; length++) {
            ByteBuffer cut = ByteBuffer.wrap(bytes.array(), 0, length);
            assertThatThrownBy(() -> SegmentHeader.decode(PATH, cut)).isInstanceOf(StorageException.Corrupt.class);
        }
    }

    @Test
    void segmentsOfANewerVersionAreNotCalledCorrupt() {
        ByteBuffer bytes = ByteBuffer.allocate(SegmentHeader.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        new SegmentHeader(new StreamId(new UUID(1, 2)), 77).encode(bytes);
        bytes.putInt(Prologue.VERSION_AT, 2);
        bytes.putInt(Prologue.CRC_AT, Crc32c.of(bytes.slice(0, Prologue.CRC_AT)));
        assertThatThrownBy(() -> SegmentHeader.decode(PATH, bytes.flip()))
                .isInstanceOf(StorageException.UnsupportedVersion.class)
                .hasMessage("too new: some.seg has format version 2; this version of Tidemark reads 1 to 1");
    }

    @Test
    void batchesThatBreakARuleCannotBeMade() {
        ByteBuffer body = ByteBuffer.allocate(10);
        assertThatThrownBy(() -> Batch.of(0, 0, 10, body)).hasMessageContaining("record count 0; must be 1 to 65536");
        assertThatThrownBy(() -> Batch.of(65_537, 0, 10, body)).hasMessageContaining("record count 65537");
        assertThatThrownBy(() -> Batch.of(1, 256, 10, body)).hasMessageContaining("compression 256");
        assertThatThrownBy(() -> Batch.of(1, -1, 10, body)).hasMessageContaining("compression 4294967295");
        assertThatThrownBy(() -> Batch.of(1, 0, 11, body)).hasMessageContaining("10 body bytes");
        assertThatThrownBy(() -> Batch.of(1, 1, Batch.UNCOMPRESSED_BYTES_MAX + 1, body))
                .hasMessageContaining("uncompressed bytes");
        assertThatThrownBy(() -> Batch.of(1, 1, 10, ByteBuffer.allocate(Batch.BODY_BYTES_MAX + 1)))
                .hasMessageContaining("body bytes 1048577");
        assertThat(Batch.of(
                                Batch.RECORDS_MAX,
                                255,
                                Batch.UNCOMPRESSED_BYTES_MAX,
                                ByteBuffer.allocate(Batch.BODY_BYTES_MAX))
                        .isIntact())
                .isTrue();
    }
}
