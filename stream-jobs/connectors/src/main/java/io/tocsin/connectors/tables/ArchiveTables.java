package io.tocsin.connectors.tables;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tocsin.alerts.v1.Alert;
import io.tocsin.connectors.Rejects;
import io.tocsin.connectors.clickhouse.RowEncoder;
import io.tocsin.connectors.clickhouse.TableRouter;
import io.tocsin.connectors.kafka.TopicRecord;
import io.tocsin.connectors.kafka.Topics;
import io.tocsin.events.v1.Event;
import io.tocsin.model.Heartbeat;
import io.tocsin.registrations.v1.LeaseLatency;
import io.tocsin.registrations.v1.Registration;
import io.tocsin.wan.v1.WanEpisode;

/**
 * Records by their topic, and events by their body: the one list of what the archive writes where.
 */
public final class ArchiveTables implements TableRouter<TopicRecord> {
  private final EventTables events = new EventTables();
  private final RowEncoder<Told<Alert>> alertHistory = new AlertHistoryEncoder();
  private final RowEncoder<Told<Registration>> registrationHistory =
      new RegistrationHistoryEncoder();
  private final RowEncoder<Told<WanEpisode>> wanEpisodes = new WanEpisodesEncoder();
  private final RowEncoder<LeaseLatency> leaseLatencies = new LeaseLatenciesEncoder();

  /** Heartbeats are no news of the network: no page, question or count of alerts has them. */
  @Override
  public boolean stores(TopicRecord record) {
    try {
      return !record.topic().equals(Topics.ALERTS)
          || !Heartbeat.is(Alert.parseFrom(record.value()));
    } catch (InvalidProtocolBufferException e) {
      return true;
    }
  }

  @Override
  public Row<?> rowOf(TopicRecord record) {
    try {
      return switch (record.topic()) {
        case Topics.ALERTS -> told(Alert.parseFrom(record.value()), record, alertHistory);
        case Topics.REGISTRATIONS ->
            told(Registration.parseFrom(record.value()), record, registrationHistory);
        case Topics.WAN_EPISODES -> told(WanEpisode.parseFrom(record.value()), record, wanEpisodes);
        case Topics.LEASE_LATENCIES ->
            new Row<>(LeaseLatency.parseFrom(record.value()), leaseLatencies)
                .from(Origins.of(record), record.offset());
        default -> {
          Event event = Event.parseFrom(record.value());
          yield events.rowOf(event).from(Origins.of(record, event), record.offset());
        }
      };
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException(
          "no message of topic " + record.topic() + ": " + e.getMessage(), e);
    }
  }

  private static <T> Row<Told<T>> told(T message, TopicRecord record, RowEncoder<Told<T>> encoder) {
    return new Row<>(new Told<>(message, record.toldAtUnixNanos()), encoder)
        .from(Origins.of(record), record.offset());
  }

  @Override
  public Row<?> rejectOf(TopicRecord record, String detail) {
    Event reject = rejectOfMessage(record, detail);
    return events.rejectRow(reject).from(Origins.of(record, reject), record.offset());
  }

  /** A message keeps its identity in its reject; what is none is found again by its place. */
  private static Event rejectOfMessage(TopicRecord record, String detail) {
    try {
      return switch (record.topic()) {
        case Topics.ALERTS -> Rejects.invalid(Alert.parseFrom(record.value()), detail);
        case Topics.REGISTRATIONS ->
            Rejects.invalid(Registration.parseFrom(record.value()), detail);
        case Topics.WAN_EPISODES -> Rejects.invalid(WanEpisode.parseFrom(record.value()), detail);
        case Topics.LEASE_LATENCIES ->
            Rejects.invalid(LeaseLatency.parseFrom(record.value()), detail);
        default -> {
          Event event = Event.parseFrom(record.value());
          yield event.getBodyCase() == Event.BodyCase.BODY_NOT_SET
              ? Rejects.undecodable(record, detail)
              : Rejects.invalid(event, detail);
        }
      };
    } catch (InvalidProtocolBufferException e) {
      return Rejects.undecodable(record, detail);
    }
  }
}
