package io.tocsin.connectors.kafka;

import java.util.Collection;
import java.util.Map;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.kafka.clients.consumer.OffsetResetStrategy;
import org.apache.kafka.common.TopicPartition;

/**
 * Where a job without state begins to read what it has told itself.
 *
 * <p>At the end, where its group has once committed: it has lost its state, and has nothing to say
 * of alerts that it does not know. At the beginning where it never has: then it has kept no
 * checkpoint yet, reads all events again, and whatever the topic says came of those. Otherwise a
 * storm that a run told which crashed before its first checkpoint, and that does not come about
 * when the events are read in another order, would stay open for ever.
 */
final class OwnWordsOffsets implements OffsetsInitializer {
  private static final long serialVersionUID = 1;

  @Override
  public Map<TopicPartition, Long> getPartitionOffsets(
      Collection<TopicPartition> partitions, PartitionOffsetsRetriever offsets) {
    boolean hasCommitted = !offsets.committedOffsets(partitions).isEmpty();
    return hasCommitted ? offsets.endOffsets(partitions) : offsets.beginningOffsets(partitions);
  }

  @Override
  @SuppressWarnings(
      "deprecation") // The connector's own return type, which kafka-clients will replace in 5.0.
  public OffsetResetStrategy getAutoOffsetResetStrategy() {
    return OffsetResetStrategy.EARLIEST;
  }
}
