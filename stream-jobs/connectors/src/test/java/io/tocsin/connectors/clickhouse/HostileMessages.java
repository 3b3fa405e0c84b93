package io.tocsin.connectors.clickhouse;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.List;
import java.util.Random;

/**
 * Messages with any value in any field that Protocol Buffers can carry: the ends of every number,
 * numbers of enums that no build knows, text and bytes that no table was made for.
 */
final class HostileMessages {
  private static final int MAX_REPEATED = 3;
  private static final int MAX_DEPTH = 4;
  private static final List<Long> LONGS =
      List.of(0L, 1L, -1L, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 32, 4_102_444_800_000_000_000L);
  private static final List<Integer> INTS =
      List.of(0, 1, -1, 127, 128, 255, 256, 65_536, Integer.MIN_VALUE, Integer.MAX_VALUE);
  private static final List<Double> DOUBLES =
      List.of(0.0, -0.0, 1e-310, -1.5, 1e300, Double.NaN, 1 / 0.0, -1 / 0.0);
  private static final List<String> TEXTS =
      List.of(
          "",
          "n0418",
          "'",
          "\\N",
          "\t\n\r",
          "\u0000",
          "naïve 日本 🛰",
          "\ud800",
          "' OR 1=1 --",
          "10.1.2.3");

  private final Random random;

  HostileMessages(long seed) {
    this.random = new Random(seed);
  }

  /** Fills about three of four fields of a message. */
  <B extends Message.Builder> B fill(B message) {
    fill(message, 0);
    return message;
  }

  private void fill(Message.Builder message, int depth) {
    for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
      if (field.getRealContainingOneof() == null && random.nextInt(4) > 0) {
        set(message, field, depth);
      }
    }
    message.getDescriptorForType().getRealOneofs().stream()
        .map(oneof -> oneof.getField(random.nextInt(oneof.getFieldCount())))
        .forEach(field -> set(message, field, depth));
  }

  private void set(Message.Builder message, FieldDescriptor field, int depth) {
    if (!field.isRepeated()) {
      message.setField(field, valueOf(message, field, depth));
      return;
    }
    for (int i = random.nextInt(MAX_REPEATED + 1); i > 0; i--) {
      message.addRepeatedField(field, valueOf(message, field, depth));
    }
  }

  private Object valueOf(Message.Builder message, FieldDescriptor field, int depth) {
    return switch (field.getJavaType()) {
      case INT -> random.nextBoolean() ? one(INTS) : (Integer) random.nextInt();
      case LONG -> random.nextBoolean() ? one(LONGS) : (Long) random.nextLong();
      case FLOAT -> one(DOUBLES).floatValue();
      case DOUBLE -> one(DOUBLES);
      case BOOLEAN -> random.nextBoolean();
      case STRING -> text();
      case BYTE_STRING -> bytes();
      case ENUM -> enumValue(field.getEnumType());
      case MESSAGE -> {
        Message.Builder inner = message.newBuilderForField(field);
        if (depth < MAX_DEPTH) {
          fill(inner, depth + 1);
        }
        yield inner.build();
      }
    };
  }

  private Object enumValue(EnumDescriptor type) {
    boolean isKnown = random.nextInt(8) > 0;
    int number =
        isKnown
            ? type.getValues().get(random.nextInt(type.getValues().size())).getNumber()
            : one(INTS);
    return type.findValueByNumberCreatingIfUnknown(number);
  }

  private String text() {
    return random.nextInt(50) == 0 ? "x".repeat(70_000) : one(TEXTS);
  }

  /** Often the length of an address, so that not every row fails by that. */
  private ByteString bytes() {
    byte[] bytes = new byte[random.nextInt(4) > 0 ? 16 : random.nextInt(40)];
    random.nextBytes(bytes);
    return ByteString.copyFrom(bytes);
  }

  private <T> T one(List<T> values) {
    return values.get(random.nextInt(values.size()));
  }
}
