package io.tocsin.model;

import com.google.protobuf.Message;
import java.util.Objects;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/**
 * Tells Flink that a stream or a state holds protobuf messages of one type, which it then keeps in
 * their own wire format. Without it Flink would fall back to Kryo, whose state cannot evolve.
 *
 * @param <T> the message
 */
public final class ProtobufTypeInfo<T extends Message> extends TypeInformation<T> {
  private final Class<T> messageClass;

  private ProtobufTypeInfo(Class<T> messageClass) {
    this.messageClass = messageClass;
  }

  /** Type information for a generated message class. */
  public static <T extends Message> ProtobufTypeInfo<T> forMessage(Class<T> messageClass) {
    return new ProtobufTypeInfo<>(messageClass);
  }

  @Override
  public TypeSerializer<T> createSerializer(SerializerConfig config) {
    return new ProtobufSerializer<>(messageClass);
  }

  @Override
  public Class<T> getTypeClass() {
    return messageClass;
  }

  @Override
  public boolean isBasicType() {
    return false;
  }

  @Override
  public boolean isTupleType() {
    return false;
  }

  @Override
  public int getArity() {
    return 1;
  }

  @Override
  public int getTotalFields() {
    return 1;
  }

  @Override
  public boolean isKeyType() {
    // A message is no key: protobuf does not promise the same bytes for the same content.
    return false;
  }

  @Override
  public String toString() {
    return "Protobuf<" + messageClass.getName() + ">";
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ProtobufTypeInfo<?> that && messageClass == that.messageClass;
  }

  @Override
  public int hashCode() {
    return Objects.hash(ProtobufTypeInfo.class, messageClass);
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof ProtobufTypeInfo<?>;
  }
}
