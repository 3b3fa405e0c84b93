package io.tocsin.model;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.util.Objects;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Keeps a protobuf message as a four-byte big-endian length and the message's own bytes. Fields may
 * be added to the message while state of the old form lies in a savepoint: protobuf reads both.
 *
 * @param <T> the message
 */
public final class ProtobufSerializer<T extends Message> extends TypeSerializer<T> {
  private final Class<T> messageClass;
  private transient T defaultInstance;
  private transient Parser<T> parser;

  /** Serializer for a generated message class. */
  public ProtobufSerializer(Class<T> messageClass) {
    this.messageClass = Objects.requireNonNull(messageClass);
    findParser();
  }

  @SuppressWarnings("unchecked") // The parser of a generated class makes instances of that class.
  private void findParser() {
    try {
      defaultInstance =
          messageClass.cast(messageClass.getMethod("getDefaultInstance").invoke(null));
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException(
          messageClass.getName() + " is not a class that protoc generated", e);
    }
    parser = (Parser<T>) defaultInstance.getParserForType();
  }

  private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
    in.defaultReadObject();
    findParser();
  }

  @Override
  public boolean isImmutableType() {
    return true;
  }

  @Override
  public TypeSerializer<T> duplicate() {
    return this;
  }

  @Override
  public T createInstance() {
    return defaultInstance;
  }

  @Override
  public T copy(T from) {
    return from;
  }

  @Override
  public T copy(T from, T reuse) {
    return from;
  }

  @Override
  public int getLength() {
    return -1;
  }

  @Override
  public void serialize(T message, DataOutputView target) throws IOException {
    byte[] bytes = message.toByteArray();
    target.writeInt(bytes.length);
    target.write(bytes);
  }

  @Override
  public T deserialize(DataInputView source) throws IOException {
    byte[] bytes = new byte[source.readInt()];
    source.readFully(bytes);
    try {
      return parser.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw new IOException(
          bytes.length + " bytes in Flink's hands are no " + messageClass.getName(), e);
    }
  }

  @Override
  public T deserialize(T reuse, DataInputView source) throws IOException {
    return deserialize(source);
  }

  @Override
  public void copy(DataInputView source, DataOutputView target) throws IOException {
    int length = source.readInt();
    target.writeInt(length);
    target.write(source, length);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ProtobufSerializer<?> that && messageClass == that.messageClass;
  }

  @Override
  public int hashCode() {
    return messageClass.hashCode();
  }

  @Override
  public TypeSerializerSnapshot<T> snapshotConfiguration() {
    return new ProtobufSerializerSnapshot<>(messageClass);
  }
}
