package tidemark.client;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tidemark.v1.Record;

/**
 * One record as its writer gives it: an opaque payload, an optional key and headers in order. Immutable.
 *
 * <p>Limits: payload + key + headers together at most the stream's {@code maxRecordBytes} (at most 1,000,000); key at most
 * 64 KiB; at most 64 headers with names of 1 to 255 bytes of UTF-8. They are checked where a record is appended.
 */
public final class LogRecord {
    private final Record proto;

    private LogRecord(Record proto) {
        this.proto = proto;
    }

    static LogRecord wrap(Record proto) {
        return new LogRecord(proto);
    }

    /** A record with only a payload, copied. */
    public static LogRecord of(byte[] payload) {
        return of(ByteString.copyFrom(payload));
    }

    /** A record with only a payload: the remaining bytes of the buffer, copied; its position does not change. */
    public static LogRecord of(ByteBuffer payload) {
        return of(ByteString.copyFrom(payload.duplicate()));
    }

    /** A record with only a payload, in UTF-8. */
    public static LogRecord of(String payload) {
        return of(ByteString.copyFrom(payload, StandardCharsets.UTF_8));
    }

    /** A record with only a payload, not copied: the caller must never change the array again. */
    public static LogRecord ofOwned(byte[] payload) {
        return of(UnsafeByteOperations.unsafeWrap(payload));
    }

    private static LogRecord of(ByteString payload) {
        return new LogRecord(Record.newBuilder().setPayload(payload).build());
    }

    /** Starts a record with a key or headers. */
    public static Builder builder() {
        return new Builder();
    }

    /** The payload, read only; each call gives a buffer of its own. */
    public ByteBuffer payload() {
        return proto.getPayload().asReadOnlyByteBuffer();
    }

    /** The payload, copied. */
    public byte[] payloadBytes() {
        return proto.getPayload().toByteArray();
    }

    /** Number of bytes of the payload. */
    public int payloadSize() {
        return proto.getPayload().size();
    }

    /** Writes the payload, without copying it first. */
    public void writePayloadTo(OutputStream out) throws IOException {
        proto.getPayload().writeTo(out);
    }

    /** The key, read only. Absent and empty are different. */
    public Optional<ByteBuffer> key() {
        return proto.hasKey() ? Optional.of(proto.getKey().asReadOnlyByteBuffer()) : Optional.empty();
    }

    /** The headers in the writer's order; names may repeat. */
    public List<Header> headers() {
        return proto.getHeadersList().stream()
                .map(header -> new Header(header.getName(), header.getValue()))
                .toList();
    }

    /** Bytes that count against limits: payload, key, header names and values. */
    public long sizeBytes() {
        return RecordLimits.sizeBytes(proto);
    }

    Record proto() {
        return proto;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LogRecord that && proto.equals(that.proto);
    }

    @Override
    public int hashCode() {
        return proto.hashCode();
    }

    /** Sizes only: payloads may be large or secret. */
    @Override
    public String toString() {
        return "LogRecord[payload " + payloadSize() + " bytes, "
                + (proto.hasKey() ? "key " + proto.getKey().size() + " bytes" : "no key") + ", "
                + proto.getHeadersCount() + " headers]";
    }

    /** A name and an opaque value beside the payload. */
    public static final class Header {
        private final String name;
        private final ByteString value;

        private Header(String name, ByteString value) {
            this.name = name;
            this.value = value;
        }

        /** The name. */
        public String name() {
            return name;
        }

        /** The value, read only. */
        public ByteBuffer value() {
            return value.asReadOnlyByteBuffer();
        }

        /** The value, copied. */
        public byte[] valueBytes() {
            return value.toByteArray();
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Header that && name.equals(that.name) && value.equals(that.value);
        }

        @Override
        public int hashCode() {
            return Objects.hash(name, value);
        }

        @Override
        public String toString() {
            return "Header[" + name + ", " + value.size() + " bytes]";
        }
    }

    /** Builds one record. Not thread-safe. */
    public static final class Builder {
        private final Record.Builder proto = Record.newBuilder();

        private Builder() {}

        /** Sets the payload, copied. Default: empty. */
        public Builder payload(byte[] payload) {
            proto.setPayload(ByteString.copyFrom(payload));
            return this;
        }

        /** Sets the payload to the remaining bytes, copied. */
        public Builder payload(ByteBuffer payload) {
            proto.setPayload(ByteString.copyFrom(payload.duplicate()));
            return this;
        }

        /** Sets the key, copied. Default: none. */
        public Builder key(byte[] key) {
            proto.setKey(ByteString.copyFrom(key));
            return this;
        }

        /** Sets the key, in UTF-8. */
        public Builder key(String key) {
            proto.setKey(ByteString.copyFromUtf8(key));
            return this;
        }

        /** Adds a header behind those added before. */
        public Builder header(String name, byte[] value) {
            proto.addHeadersBuilder().setName(name).setValue(ByteString.copyFrom(value));
            return this;
        }

        /** The record. */
        public LogRecord build() {
            return new LogRecord(proto.build());
        }
    }
}
