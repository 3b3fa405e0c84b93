package io.tocsin.rules.topic;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tocsin.rules.v1.RuleDocument;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class RulesFollowerTest {
  private static final TopicPartition PARTITION = new TopicPartition(RulesTopic.NAME, 0);

  private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("none");
  private final RulesTopic.Follower follower = new RulesTopic.Follower(consumer, 2);

  @Test
  void whatIsPushedAndWithdrawnComesInOrderFromTheOffsetOn() {
    write(1, "read at the start", document("read at the start"));
    write(2, "a", document("a"));
    write(3, "a", null);

    assertThat(follower.poll())
        .containsExactly(
            RuleDocument.newBuilder().setName("a").setYaml("yaml").setTopicOffset(2).build(),
            RuleDocument.newBuilder().setName("a").setTopicOffset(3).build());
    assertThat(follower.poll()).isEmpty();
  }

  @Test
  void aRecordThatIsNoDocumentIsPassedOver() {
    write(2, "a", "no document".getBytes(UTF_8));
    write(3, "b", document("b"));

    assertThat(follower.poll()).extracting(RuleDocument::getName).containsExactly("b");
  }

  /** The rules that were read are not those that are followed: the reader must start again. */
  @Test
  void aTopicThatWasMadeAnewIsAnError() {
    consumer.setPollException(new OffsetOutOfRangeException(Map.of(PARTITION, 2L)));

    assertThatThrownBy(follower::poll).isInstanceOf(OffsetOutOfRangeException.class);
  }

  private void write(long offset, String name, byte[] value) {
    consumer.addRecord(
        new ConsumerRecord<>(RulesTopic.NAME, 0, offset, name.getBytes(UTF_8), value));
  }

  private static byte[] document(String name) {
    return RuleDocument.newBuilder().setName(name).setYaml("yaml").build().toByteArray();
  }
}
