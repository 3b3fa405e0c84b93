package io.tocsin.model;

import com.google.protobuf.Message;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * What a savepoint remembers of a {@link ProtobufSerializer}: format version and message class. A
 * renamed class is refused; the way out is to keep the old name, since names on the wire only grow.
 *
 * @param <T> the message
 */
public final class ProtobufSerializerSnapshot<T extends Message>
    implements TypeSerializerSnapshot<T> {
  private static final int CURRENT_VERSION = 1;

  private Class<T> messageClass;

  /** For Flink, which fills the instance by {@link #readSnapshot}. */
  public ProtobufSerializerSnapshot() {}

  ProtobufSerializerSnapshot(Class<T> messageClass) {
    this.messageClass = messageClass;
  }

  @Override
  public int getCurrentVersion() {
    return CURRENT_VERSION;
  }

  @Override
  public void writeSnapshot(DataOutputView out) throws IOException {
    out.writeUTF(messageClass.getName());
  }

  @Override
  @SuppressWarnings(
      "unchecked") // Checked by asSubclass; the savepoint's own type is what T stands for here.
  public void readSnapshot(int version, DataInputView in, ClassLoader classLoader)
      throws IOException {
    if (version != CURRENT_VERSION) {
      throw new IOException(
          "state was written by protobuf serializer version "
              + version
              + ", this build reads version "
              + CURRENT_VERSION
              + ": restore it with the build that wrote it");
    }
    String name = in.readUTF();
    try {
      messageClass = (Class<T>) Class.forName(name, false, classLoader).asSubclass(Message.class);
    } catch (ClassNotFoundException e) {
      throw new IOException("state holds messages of " + name + ", a class that this jar lacks", e);
    }
  }

  @Override
  public TypeSerializer<T> restoreSerializer() {
    return new ProtobufSerializer<>(messageClass);
  }

  @Override
  public TypeSerializerSchemaCompatibility<T> resolveSchemaCompatibility(
      TypeSerializerSnapshot<T> oldSnapshot) {
    return oldSnapshot instanceof ProtobufSerializerSnapshot<T> old
            && old.messageClass == messageClass
        ? TypeSerializerSchemaCompatibility.compatibleAsIs()
        : TypeSerializerSchemaCompatibility.incompatible();
  }
}
