package io.tocsin.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.tocsin.alerts.v1.Alert;
import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.Syslog;
import java.io.IOException;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

class ProtobufSerializerTest {
  private static final Event EVENT =
      Event.newBuilder()
          .setEventId("a-1-1")
          .setRaw(ByteString.copyFrom(new byte[] {0, -1, 10}))
          .setSyslog(Syslog.newBuilder().setMessage("grüezi").setSequence(0))
          .build();

  private final TypeSerializer<Event> serializer =
      ProtobufTypeInfo.forMessage(Event.class).createSerializer(new SerializerConfigImpl());

  @Test
  void messagesAreLengthPrefixedProtobuf() throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(64);
    serializer.serialize(EVENT, out);

    DataInputDeserializer in = new DataInputDeserializer(out.getCopyOfBuffer());
    assertThat(in.readInt()).isEqualTo(EVENT.getSerializedSize());
    byte[] bytes = new byte[in.available()];
    in.readFully(bytes);
    assertThat(Event.parseFrom(bytes)).isEqualTo(EVENT);
  }

  @Test
  void whatIsWrittenIsReadAgainOneMessageAfterTheOther() throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(64);
    serializer.serialize(EVENT, out);
    serializer.serialize(Event.getDefaultInstance(), out);

    DataOutputSerializer copied = new DataOutputSerializer(64);
    DataInputDeserializer in = new DataInputDeserializer(out.getCopyOfBuffer());
    serializer.copy(in, copied);
    serializer.copy(in, copied);

    DataInputDeserializer again = new DataInputDeserializer(copied.getCopyOfBuffer());
    assertThat(serializer.deserialize(again)).isEqualTo(EVENT);
    assertThat(serializer.deserialize(again)).isEqualTo(Event.getDefaultInstance());
    assertThat(again.available()).isZero();
  }

  @Test
  void bytesThatAreNoMessageAreNamed() throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(16);
    out.writeInt(2);
    out.write(new byte[] {(byte) 0xff, (byte) 0xff});

    assertThatThrownBy(
            () -> serializer.deserialize(new DataInputDeserializer(out.getCopyOfBuffer())))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(Event.class.getName());
  }

  @Test
  void serializerTravelsToTaskManagers() throws Exception {
    assertThat(InstantiationUtil.clone(serializer)).isEqualTo(serializer);
  }

  @Test
  void savepointOfTheSameMessageIsReadAsItIs() throws IOException {
    TypeSerializerSnapshot<Event> restored = throughASavepoint(serializer.snapshotConfiguration());

    assertThat(restored.restoreSerializer()).isEqualTo(serializer);
    assertThat(
            serializer
                .snapshotConfiguration()
                .resolveSchemaCompatibility(restored)
                .isCompatibleAsIs())
        .isTrue();
  }

  @Test
  @SuppressWarnings({"unchecked", "rawtypes"})
  void savepointOfAnotherMessageIsRefused() throws IOException {
    TypeSerializerSnapshot other =
        throughASavepoint(new ProtobufSerializer<>(Alert.class).snapshotConfiguration());

    assertThat(
            ((TypeSerializerSnapshot) serializer.snapshotConfiguration())
                .resolveSchemaCompatibility(other)
                .isIncompatible())
        .isTrue();
  }

  @Test
  void savepointOfAnUnknownVersionIsRefused() {
    assertThatThrownBy(
            () ->
                new ProtobufSerializerSnapshot<Event>()
                    .readSnapshot(
                        2, new DataInputDeserializer(new byte[0]), getClass().getClassLoader()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("version 2");
  }

  private <T extends Message> TypeSerializerSnapshot<T> throughASavepoint(
      TypeSerializerSnapshot<T> snapshot) throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(64);
    TypeSerializerSnapshot.writeVersionedSnapshot(out, snapshot);
    return TypeSerializerSnapshot.readVersionedSnapshot(
        new DataInputDeserializer(out.getCopyOfBuffer()), getClass().getClassLoader());
  }
}
