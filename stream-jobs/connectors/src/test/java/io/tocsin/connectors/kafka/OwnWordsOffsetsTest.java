package io.tocsin.connectors.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer.PartitionOffsetsRetriever;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class OwnWordsOffsetsTest {
  private static final TopicPartition FIRST = new TopicPartition(Topics.ALERTS, 0);
  private static final TopicPartition SECOND = new TopicPartition(Topics.ALERTS, 1);

  @Test
  void jobThatHasKeptNothingReadsAllThatItHasTold() {
    assertThat(startsAt(Map.of()))
        .containsExactlyInAnyOrderEntriesOf(Map.of(FIRST, 3L, SECOND, 3L));
  }

  @Test
  void jobThatHasLostItsStateReadsWhatIsToldFromNowOn() {
    assertThat(startsAt(Map.of(FIRST, 5L)))
        .containsExactlyInAnyOrderEntriesOf(Map.of(FIRST, 9L, SECOND, 9L));
  }

  private static Map<TopicPartition, Long> startsAt(Map<TopicPartition, Long> committed) {
    return new OwnWordsOffsets().getPartitionOffsets(List.of(FIRST, SECOND), new Broker(committed));
  }

  /** A topic whose partitions have records 3 to 8. */
  private record Broker(Map<TopicPartition, Long> committed) implements PartitionOffsetsRetriever {
    @Override
    public Map<TopicPartition, Long> committedOffsets(Collection<TopicPartition> partitions) {
      return committed;
    }

    @Override
    public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions) {
      return partitions.stream().collect(Collectors.toMap(each -> each, each -> 9L));
    }

    @Override
    public Map<TopicPartition, Long> beginningOffsets(Collection<TopicPartition> partitions) {
      return partitions.stream().collect(Collectors.toMap(each -> each, each -> 3L));
    }

    @Override
    public Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(
        Map<TopicPartition, Long> timestampsToSearch) {
      throw new UnsupportedOperationException("no time is asked for");
    }
  }
}
