package io.tocsin.jobs.alerts;

import io.tocsin.alerts.v1.Acknowledgement;
import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.GateInput;
import io.tocsin.alerts.v1.Signal;
import io.tocsin.connectors.kafka.KafkaEndpoints;
import io.tocsin.connectors.kafka.Topics;
import io.tocsin.correlation.alerts.AlertRules;
import io.tocsin.correlation.alerts.AlertTiming;
import io.tocsin.correlation.alerts.Fingerprint;
import io.tocsin.correlation.alerts.Gate;
import io.tocsin.correlation.alerts.SourceAlerts;
import io.tocsin.correlation.alerts.SourceLimitRules;
import io.tocsin.correlation.alerts.StormLimits;
import io.tocsin.correlation.alerts.TrackedAlert;
import io.tocsin.correlation.alerts.UpdateExpiry;
import io.tocsin.events.v1.Event;
import io.tocsin.jobs.AgentsClock;
import io.tocsin.jobs.Buffering;
import io.tocsin.jobs.JobRunner;
import io.tocsin.jobs.KeyedRulesFunction;
import io.tocsin.jobs.Restart;
import io.tocsin.jobs.copies.CopyStreams;
import io.tocsin.model.ProtobufTypeInfo;
import io.tocsin.rules.RuleBook;
import io.tocsin.rules.replay.AlertPath;
import io.tocsin.rules.v1.RuleDocument;
import java.time.Duration;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Makes alerts of signals: events through {@link AlertRules}, the life of each alert, and {@link
 * Gate}, which says what pages, to topic {@code alerts-v1}, at once and at least once.
 *
 * <p>Watermarks follow the agents' clock, received_at: no device's wrong clock can move them. The
 * reports that each agent sends every second move them while nothing else happens, so that alerts
 * expire and storms end in a quiet network.
 */
public final class AlertsJob {
  /** Name of the job and of its consumer group. */
  public static final String NAME = "tocsin-alerts";

  /** What becomes signals, and the heartbeat of the agents. */
  private static final List<String> TOPICS =
      List.of(
          Topics.EVENTS_ALERT,
          Topics.EVENTS_SYSLOG,
          Topics.EVENTS_SNMP,
          Topics.EVENTS_COUNTERS,
          Topics.EVENTS_DHCP,
          Topics.EVENTS_PROBE,
          Topics.AGENT_STATS);

  /** How far the clocks of agents may lie apart before a timer of one is early for another. */
  private static final Duration MAX_DISORDER = Duration.ofSeconds(2);

  private static final Duration LOOK_FOR_RULES_EVERY = Duration.ofMillis(200);

  private AlertsJob() {}

  /** Runs the job with the options of {@link AlertsOptions}. */
  public static void main(String[] args) throws Exception {
    JobRunner.run(NAME, new AlertsOptions(), AlertsJob::configure, args);
  }

  /** Builds the job's graph against the Kafka of the options. */
  public static void configure(StreamExecutionEnvironment env, AlertsOptions options) {
    KafkaEndpoints kafka =
        JobRunner.prepare(env, options, Buffering.LOW_LATENCY, Restart.PAGES_FIRST);
    define(
        env,
        Settings.of(options),
        kafka.events(NAME, TOPICS),
        kafka.ruleDocuments(NAME),
        kafka.ownAlerts(NAME),
        kafka.acknowledgements(NAME),
        kafka.alertTransitions());
  }

  /**
   * What people may set.
   *
   * @param timing of the life of an alert
   * @param updateExpiry silence after which an alert of a monitor expires
   * @param maxAlertsPerSource of the updates of one source
   * @param storms when many alerts are one
   * @param policies reads who is paged from documents
   * @param rules reads what is in force before the first event
   */
  public record Settings(
      AlertTiming timing,
      UpdateExpiry updateExpiry,
      int maxAlertsPerSource,
      StormLimits storms,
      PolicyReader policies,
      RulesAtStart rules) {
    /** Those of a command line. */
    static Settings of(AlertsOptions options) {
      AlertPath.Settings path = options.settings();
      return new Settings(
          path.timing(),
          path.updateExpiry(),
          path.maxAlertsPerSource(),
          path.storms(),
          RuleBook::policy,
          RulesAtStart.of(options.kafka()));
    }
  }

  /**
   * Builds the job's graph.
   *
   * @param eventSource of which some become signals; others, and what could not be decoded, are
   *     left to the archive
   * @param documentSource rules, maintenance windows and dependencies
   * @param toldSource what the topic has of this job's transitions, in its order
   * @param saidSource what people say of alerts, in the order of each alert
   * @param transitions takes every transition without waiting
   */
  public static void define(
      StreamExecutionEnvironment env,
      Settings settings,
      Source<Event, ?, ?> eventSource,
      Source<RuleDocument, ?, ?> documentSource,
      Source<Alert, ?, ?> toldSource,
      Source<Acknowledgement, ?, ?> saidSource,
      Sink<Alert> transitions) {
    DataStream<Event> events =
        env.fromSource(eventSource, AgentsClock.watermarks(MAX_DISORDER), "events")
            .uid("alerts-events-source");
    DataStream<RuleDocument> documents =
        env.fromSource(documentSource, AgentsClock.timeless(), "rule documents")
            .uid("alerts-documents-source");
    DataStream<Alert> alerts =
        signals(env, settings, events, documents)
            .keyBy(Fingerprint::of, Types.STRING)
            .process(
                new KeyedRulesFunction<>(
                    new AlertRules(settings.timing()), "tracked-alert", TrackedAlert.class))
            .returns(ProtobufTypeInfo.forMessage(Alert.class))
            .name("alert rules")
            .uid("alerts-rules");
    // One instance: who pages depends on what else is open. It keeps the order of each alert, and
    // so must the sinks.
    SingleOutputStreamOperator<Alert> decisions =
        alerts
            .connect(gateInputs(env, documents, toldSource, saidSource))
            .keyBy(alert -> 0, input -> 0, Types.INT)
            .process(new GateFunction(settings.storms(), settings.policies()))
            .returns(ProtobufTypeInfo.forMessage(Alert.class))
            .name("gate")
            .uid("alerts-gate")
            .forceNonParallel();

    decisions
        .sinkTo(transitions)
        .setParallelism(1)
        .name("alerts topic")
        .uid("alerts-transitions-sink");
  }

  /** Everything that raises or clears an alert; of most events nothing comes. */
  static DataStream<Signal> signals(
      StreamExecutionEnvironment env,
      Settings settings,
      DataStream<Event> events,
      DataStream<RuleDocument> documents) {
    var signals =
        new SignalsFunction(settings.updateExpiry(), settings.rules(), LOOK_FOR_RULES_EVERY);
    SingleOutputStreamOperator<Signal> decided =
        decided(events, signals, "signals", "alerts-signals");
    SingleOutputStreamOperator<Signal> decidedOfGroups =
        decided(
            CopyStreams.once(decided.getSideOutput(SignalsFunction.OF_GROUPS), "alerts-copies"),
            signals.ofGroups(),
            "signals of groups",
            "alerts-signals-of-groups");
    DataStream<Signal> ofMeasures =
        decided
            .getSideOutput(SignalsFunction.MEASURES)
            .union(decidedOfGroups.getSideOutput(SignalsFunction.MEASURES))
            .keyBy(Event::getDevice, Types.STRING)
            .connect(documents.broadcast(RulesInForce.DOCUMENTS))
            .process(new RulesFunction(settings.rules()), ProtobufTypeInfo.forMessage(Signal.class))
            .name("rules")
            .uid("alerts-rule-signals");
    SourceLimitRules limit =
        new SourceLimitRules(settings.maxAlertsPerSource(), settings.timing().forgetAfter());
    DataStream<Signal> updates =
        decided
            .getSideOutput(SignalsFunction.UPDATES)
            .union(decidedOfGroups.getSideOutput(SignalsFunction.UPDATES))
            .keyBy(SourceLimitRules::keyOf, Types.STRING)
            .process(new KeyedRulesFunction<>(limit, "source-alerts", SourceAlerts.class))
            .returns(ProtobufTypeInfo.forMessage(Signal.class))
            .name("source limit")
            .uid("alerts-source-limit");
    return decided.union(decidedOfGroups, updates, ofMeasures);
  }

  private static SingleOutputStreamOperator<Signal> decided(
      DataStream<Event> events, SignalsFunction function, String name, String uid) {
    return events.process(function, ProtobufTypeInfo.forMessage(Signal.class)).name(name).uid(uid);
  }

  private static DataStream<GateInput> gateInputs(
      StreamExecutionEnvironment env,
      DataStream<RuleDocument> documents,
      Source<Alert, ?, ?> toldSource,
      Source<Acknowledgement, ?, ?> saidSource) {
    DataStream<GateInput> told =
        env.fromSource(toldSource, AgentsClock.timeless(), "told alerts")
            .uid("alerts-told-source")
            .map((Alert alert) -> GateInput.newBuilder().setTold(alert).build())
            .returns(ProtobufTypeInfo.forMessage(GateInput.class))
            .name("told")
            .uid("alerts-told");
    DataStream<GateInput> said =
        env.fromSource(saidSource, AgentsClock.timeless(), "acknowledgements")
            .uid("alerts-acknowledgements-source")
            .map((Acknowledgement word) -> GateInput.newBuilder().setSaid(word).build())
            .returns(ProtobufTypeInfo.forMessage(GateInput.class))
            .name("said")
            .uid("alerts-acknowledgements");
    return documents
        .map(document -> GateInput.newBuilder().setDocument(document).build())
        .returns(ProtobufTypeInfo.forMessage(GateInput.class))
        .name("documents for the gate")
        .uid("alerts-gate-documents")
        .union(told, said);
  }
}
