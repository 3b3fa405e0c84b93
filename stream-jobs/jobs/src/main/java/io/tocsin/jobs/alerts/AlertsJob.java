package io.tocsin.jobs.alerts;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.Signal;
import io.tocsin.connectors.clickhouse.AlertHistoryTable;
import io.tocsin.connectors.clickhouse.ClickHouseSink;
import io.tocsin.connectors.kafka.EventDeserializer.Undecodable;
import io.tocsin.connectors.kafka.KafkaEndpoints;
import io.tocsin.connectors.kafka.Topics;
import io.tocsin.correlation.alerts.AlertRules;
import io.tocsin.correlation.alerts.Fingerprint;
import io.tocsin.correlation.alerts.UpdateSignals;
import io.tocsin.events.v1.Event;
import io.tocsin.jobs.JobOptions;
import io.tocsin.jobs.JobRunner;
import io.tocsin.jobs.OperatorUids;
import io.tocsin.model.ProtobufTypeInfo;
import java.time.Duration;
import java.util.List;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;

/**
 * Makes alerts of alert updates: topic {@code events-alert-v1} through {@link AlertRules} to topic
 * {@code alerts-v1} (at once, at least once) and table {@code alert_history} (at the next
 * checkpoint, exactly once).
 *
 * <p>While ClickHouse is away, transitions go on to Kafka until the buffers between the rules and
 * the history are full, which is about a thousand transitions; then the job waits. What it waits
 * for is in Kafka.
 *
 * <p>Watermarks follow the agents' clock, received_at, and serve one purpose: to forget clears of
 * alerts that never opened. What is open is decided by the event time in the events, and no
 * device's wrong clock can move the watermark.
 */
public final class AlertsJob {
  /** Name of the job and of its consumer group. */
  public static final String NAME = "tocsin-alerts";

  private static final Duration FORGET_UNKNOWN_AFTER = Duration.ofHours(24);
  private static final Duration MAX_DISORDER = Duration.ofSeconds(10);
  private static final Duration IDLE_PARTITION_AFTER = Duration.ofMinutes(1);
  private static final long NANOS_PER_MILLI = 1_000_000;

  private AlertsJob() {}

  /** Runs the job with the options of {@link JobOptions}. */
  public static void main(String[] args) throws Exception {
    JobRunner.run(NAME, AlertsJob::configure, args);
  }

  /** Builds the job's graph against the Kafka and ClickHouse of the options. */
  public static void configure(StreamExecutionEnvironment env, JobOptions options) {
    JobRunner.prepare(env, options);
    KafkaEndpoints kafka = new KafkaEndpoints(options.kafkaBootstrapServers());
    define(
        env,
        options.refreshInterval(),
        kafka.events(NAME, List.of(Topics.EVENTS_ALERT), Undecodable.SKIP),
        kafka.alertTransitions(),
        new ClickHouseSink<>(options.clickHouse(), new AlertHistoryTable()));
  }

  /**
   * Builds the job's graph.
   *
   * @param refreshInterval least event time between two {@code refreshed} transitions of one alert
   * @param events alert updates; other bodies, and what could not be decoded, are left to the
   *     archive
   * @param transitions takes every transition without waiting
   * @param history takes every transition once
   */
  public static void define(
      StreamExecutionEnvironment env,
      Duration refreshInterval,
      Source<Event, ?, ?> events,
      Sink<Alert> transitions,
      Sink<Alert> history) {
    SingleOutputStreamOperator<Event> heard =
        env.fromSource(events, byAgentsClock(), "events").uid(OperatorUids.ALERTS_EVENTS_SOURCE);
    DataStream<Signal> updates =
        heard
            .flatMap(
                (Event event, Collector<Signal> out) ->
                    UpdateSignals.of(event).ifPresent(out::collect))
            .returns(ProtobufTypeInfo.forMessage(Signal.class))
            .name("updates")
            .uid(OperatorUids.ALERTS_UPDATE_SIGNALS);
    // Signals that rules make of other events join here, by union.
    DataStream<Signal> signals = updates;

    SingleOutputStreamOperator<Alert> decisions =
        signals
            .keyBy(Fingerprint::of, Types.STRING)
            .process(new AlertsFunction(refreshInterval, FORGET_UNKNOWN_AFTER))
            .returns(ProtobufTypeInfo.forMessage(Alert.class))
            .name("alert rules")
            .uid(OperatorUids.ALERTS_RULES);

    decisions.sinkTo(transitions).name("alerts topic").uid(OperatorUids.ALERTS_TRANSITIONS_SINK);
    // Not chained: while ClickHouse is away its sink waits in a thread of its own, and transitions
    // go on to Kafka.
    decisions
        .sinkTo(history)
        .disableChaining()
        .name("alert history")
        .uid(OperatorUids.ALERTS_HISTORY_SINK);
  }

  private static WatermarkStrategy<Event> byAgentsClock() {
    return WatermarkStrategy.<Event>forBoundedOutOfOrderness(MAX_DISORDER)
        .withTimestampAssigner(
            (event, kafkaTime) -> event.getReceivedAtUnixNanos() / NANOS_PER_MILLI)
        .withIdleness(IDLE_PARTITION_AFTER);
  }
}
