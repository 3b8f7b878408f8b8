package tidemark.server.grpc;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import com.google.protobuf.UnsafeByteOperations;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A method of a service, with what is needed to route it and to serve it.
 *
 * @param wire the method with messages as bytes
 * @param defaultRequest for parsing the first message
 * @param target where a request must be served; throws the error for a request that names nothing valid
 * @param writes whether it changes anything: then unknown fields are refused, and a lost answer is indeterminate
 */
record RoutedMethod<Q extends Message>(
        MethodDescriptor<byte[], byte[]> wire,
        Q defaultRequest,
        Function<Q, Target> target,
        LocalHandler<Q> handler,
        boolean writes) {

    /** Serves a call here. */
    interface LocalHandler<Q> {
        /** Makes the leg; it does nothing before {@link Leg#start}. */
        Leg leg(Q first, Here here, Downstream out);
    }

    /** Serves a call with one response here. */
    interface UnaryHandler<Q, R> {
        CompletableFuture<R> call(Q request, Here here);
    }

    static <Q extends Message, R extends MessageLite> RoutedMethod<Q> unary(
            MethodDescriptor<Q, R> method,
            Q defaultRequest,
            Function<Q, Target> target,
            UnaryHandler<Q, R> handler,
            boolean writes) {
        LocalHandler<Q> local = (request, here, out) -> new UnaryLeg(() -> handler.call(request, here), out);
        return new RoutedMethod<>(wire(method), defaultRequest, target, local, writes);
    }

    /** The same method with its messages left as bytes. */
    static MethodDescriptor<byte[], byte[]> wire(MethodDescriptor<?, ?> method) {
        return method.toBuilder(BytesMarshaller.INSTANCE, BytesMarshaller.INSTANCE)
                .build();
    }

    /** @throws io.grpc.StatusRuntimeException INVALID_FIELD if these bytes are no such message; UNKNOWN_FIELD */
    Q parse(byte[] message) {
        return parse(defaultRequest, message, writes);
    }

    /** @param strict whether unknown fields are refused */
    static <M extends Message> M parse(M defaultMessage, byte[] bytes, boolean strict) {
        M message;
        try {
            @SuppressWarnings("unchecked") // The parser of a message makes messages of its class.
            Parser<M> parser = (Parser<M>) defaultMessage.getParserForType();
            // The fields are views of the bytes, which nobody changes: no copy.
            CodedInputStream input = UnsafeByteOperations.unsafeWrap(bytes).newCodedInput();
            input.enableAliasing(true);
            message = parser.parseFrom(input);
            input.checkLastTagWas(0);
        } catch (InvalidProtocolBufferException malformed) {
            throw Errors.invalidField(
                    "",
                    "",
                    "not a message of type "
                            + defaultMessage.getDescriptorForType().getFullName() + ": " + malformed.getMessage());
        }
        if (strict) {
            @Nullable String unknown = UnknownFields.find(message);
            if (unknown != null) {
                throw Errors.unknownField(unknown);
            }
        }
        return message;
    }

    boolean clientStreams() {
        return !wire.getType().clientSendsOneMessage();
    }

    private enum BytesMarshaller implements MethodDescriptor.Marshaller<byte[]> {
        INSTANCE;

        @Override
        public InputStream stream(byte[] message) {
            return new ByteArrayInputStream(message);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException broken) {
                throw new UncheckedIOException(broken);
            }
        }
    }
}
