package io.tocsin.connectors.tables;

import io.tocsin.connectors.clickhouse.Origin;
import io.tocsin.connectors.kafka.TopicRecord;
import io.tocsin.events.v1.Event;
import io.tocsin.rejects.v1.Stage;
import java.util.Set;

/** Where a row comes from. */
final class Origins {
  /** Of rejects that stand for a record that Kafka acknowledged to the agent. */
  private static final Set<Stage> COUNTED_STAGES =
      Set.of(Stage.STAGE_FRAMING, Stage.STAGE_PARSE, Stage.STAGE_ARCHIVE);

  private Origins() {}

  /** Of what no agent counts. */
  static Origin of(TopicRecord record) {
    return new Origin(record.topic(), record.partition(), "", 0, "");
  }

  /** Of an event. */
  static Origin of(TopicRecord record, Event event) {
    return isCounted(event)
        ? new Origin(
            record.topic(),
            record.partition(),
            event.getAgentId(),
            event.getBootId(),
            event.getListener())
        : of(record);
  }

  /** Whether the balance sheet misses the event until it is stored: see stored_events_1m.sql. */
  private static boolean isCounted(Event event) {
    return switch (event.getBodyCase()) {
      case AGENT_STATS -> false;
      case REJECT -> COUNTED_STAGES.contains(event.getReject().getStage());
      default -> true;
    };
  }
}
