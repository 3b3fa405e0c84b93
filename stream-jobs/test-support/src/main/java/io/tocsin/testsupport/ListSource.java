package io.tocsin.testsupport;

import com.google.protobuf.Message;
import io.tocsin.model.ProtobufTypeInfo;
import java.util.List;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;

/**
 * Sources that give the messages of a list, in its order where the job runs with parallelism 1, and
 * end.
 */
public final class ListSource {
  private ListSource() {}

  /** A source of some messages. */
  public static <T extends Message> Source<T, ?, ?> of(Class<T> messageClass, List<T> messages) {
    return new DataGeneratorSource<>(
        index -> messages.get(index.intValue()),
        messages.size(),
        ProtobufTypeInfo.forMessage(messageClass));
  }
}
