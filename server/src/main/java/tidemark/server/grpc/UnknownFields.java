package tidemark.server.grpc;

import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tidemark.v1.Header;
import tidemark.v1.Record;

/** Finds what a message has that this version does not know: fields, and values of enums, at any depth. */
final class UnknownFields {
    private UnknownFields() {}

    /** The path of the first one, e.g. {@code records[3].9}; null if all is known. */
    static @Nullable String find(Message message) {
        if (message instanceof Record record) {
            return findInRecord(record);
        }
        if (hasUnknown(message)) {
            return Integer.toString(firstUnknown(message));
        }
        for (Map.Entry<FieldDescriptor, Object> field : message.getAllFields().entrySet()) {
            @Nullable String found = findInField(field.getKey(), field.getValue());
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** Without reflection: requests have up to 65,536 of these. */
    private static @Nullable String findInRecord(Record record) {
        if (hasUnknown(record)) {
            return Integer.toString(firstUnknown(record));
        }
        for (int i = 0; i < record.getHeadersCount(); i++) {
            Header header = record.getHeaders(i);
            if (hasUnknown(header)) {
                return "headers[" + i + "]." + firstUnknown(header);
            }
        }
        return null;
    }

    private static @Nullable String findInField(FieldDescriptor field, Object value) {
        if (!field.isRepeated()) {
            return join(field.getName(), findInValue(field, value));
        }
        List<?> values = (List<?>) value;
        for (int i = 0; i < values.size(); i++) {
            @Nullable String found = join(field.getName() + "[" + i + "]", findInValue(field, values.get(i)));
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** The path below the value; empty if it is the value itself that is unknown. */
    private static @Nullable String findInValue(FieldDescriptor field, Object value) {
        if (field.getJavaType() == JavaType.MESSAGE) {
            return find((Message) value);
        }
        // Values without a name get a descriptor made up on the spot, outside of the enum's list.
        boolean unknownValue = field.getJavaType() == JavaType.ENUM && ((EnumValueDescriptor) value).getIndex() == -1;
        return unknownValue ? "" : null;
    }

    private static @Nullable String join(String field, @Nullable String below) {
        if (below == null) {
            return null;
        }
        return below.isEmpty() ? field : field + "." + below;
    }

    private static boolean hasUnknown(Message message) {
        return message.getUnknownFields().getSerializedSize() != 0;
    }

    private static int firstUnknown(Message message) {
        return message.getUnknownFields().asMap().keySet().iterator().next();
    }
}
