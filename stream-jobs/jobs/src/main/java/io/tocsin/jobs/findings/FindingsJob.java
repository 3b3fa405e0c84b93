package io.tocsin.jobs.findings;

import io.tocsin.connectors.kafka.KafkaEndpoints;
import io.tocsin.connectors.kafka.Topics;
import io.tocsin.correlation.TimedState;
import io.tocsin.correlation.findings.AgentSilentRules;
import io.tocsin.correlation.findings.ClockReading;
import io.tocsin.correlation.findings.ClockRules;
import io.tocsin.correlation.findings.ConnectionLimitRules;
import io.tocsin.correlation.findings.ConnectionTable;
import io.tocsin.correlation.findings.FindingRules;
import io.tocsin.correlation.findings.GatewayGroup;
import io.tocsin.correlation.findings.GatewayRules;
import io.tocsin.correlation.findings.HostLoad;
import io.tocsin.correlation.findings.ResolverRules;
import io.tocsin.correlation.findings.ResolverState;
import io.tocsin.correlation.findings.SequenceGapRules;
import io.tocsin.correlation.findings.SequenceGaps;
import io.tocsin.correlation.findings.StorageSlowRules;
import io.tocsin.correlation.findings.WrongClocks;
import io.tocsin.events.v1.Event;
import io.tocsin.jobs.AgentsClock;
import io.tocsin.jobs.Buffering;
import io.tocsin.jobs.JobRunner;
import io.tocsin.jobs.KeyedRulesFunction;
import io.tocsin.jobs.Restart;
import io.tocsin.jobs.copies.CopyStreams;
import io.tocsin.model.ProtobufTypeInfo;
import java.time.Duration;
import java.util.List;
import org.apache.flink.api.common.functions.FilterFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.OutputTag;

/**
 * Findings that need more than one message, by the rules of {@code correlation/findings}: syslog,
 * traps, gauges, answers of resolvers and heartbeats to alert updates on {@code events-alert-v1},
 * at once, at least once.
 */
public final class FindingsJob {
  /** Name of the job and of its consumer group. */
  public static final String NAME = "tocsin-findings";

  private static final Duration MAX_DISORDER = Duration.ofSeconds(2);

  private FindingsJob() {}

  /** Runs the job with the options of {@link FindingsOptions}. */
  public static void main(String[] args) throws Exception {
    JobRunner.run(NAME, new FindingsOptions(), FindingsJob::configure, args);
  }

  /** Builds the job's graph against the Kafka of the options. */
  public static void configure(StreamExecutionEnvironment env, FindingsOptions options) {
    KafkaEndpoints kafka = JobRunner.prepare(env, options, Buffering.BATCHED, Restart.AFTER_PAGES);
    List<String> topics =
        List.of(
            Topics.EVENTS_ALERT,
            Topics.EVENTS_SYSLOG,
            Topics.EVENTS_SNMP,
            Topics.EVENTS_COUNTERS,
            Topics.EVENTS_PROBE,
            Topics.AGENT_STATS);
    define(
        env,
        options.connectionLimit(),
        options.agentSilent(),
        options.clocks(),
        options.storageSlow(),
        options.resolvers(),
        kafka.events(NAME, topics),
        kafka.findings());
  }

  /**
   * Builds the job's graph.
   *
   * @param connectionLimit rules of finding connection-limit
   * @param agentSilent rules of finding agent-silent
   * @param clocks rules of finding clock-wrong
   * @param storageSlow rules of finding storage-slow
   * @param resolvers rules of the findings about resolvers
   * @param source syslog, traps, gauges, answers of resolvers, updates of monitors and heartbeats;
   *     other bodies are left alone
   * @param findings takes the alert updates
   */
  public static void define(
      StreamExecutionEnvironment env,
      ConnectionLimitRules connectionLimit,
      AgentSilentRules agentSilent,
      ClockRules clocks,
      StorageSlowRules storageSlow,
      ResolverRules resolvers,
      Source<Event, ?, ?> source,
      Sink<Event> findings) {
    DataStream<Event> received =
        env.fromSource(source, AgentsClock.watermarks(MAX_DISORDER), "events")
            .uid("findings-events-source");
    List<Finder> finders =
        List.of(
            Finder.of("findings-gateways", new GatewayRules(), "gateway-group", GatewayGroup.class),
            Finder.of(
                "findings-connection-tables",
                connectionLimit,
                "connection-table",
                ConnectionTable.class),
            new Finder(
                "findings-agents",
                Event::hasAgentStats,
                Event::getAgentId,
                new AgentsFunction(agentSilent)),
            Finder.of(
                "findings-sequence-gaps",
                new SequenceGapRules(),
                "sequence-gaps",
                SequenceGaps.class),
            Finder.of("findings-hosts", storageSlow, "host-load", HostLoad.class),
            Finder.of("findings-resolvers", resolvers, "resolver", ResolverState.class));
    List<RoutesFunction.Route> routes = finders.stream().map(Finder::route).toList();
    SingleOutputStreamOperator<Event> routed =
        routed(received, RoutesFunction.of(routes), "findings-routes");
    SingleOutputStreamOperator<Event> routedOfGroups =
        routed(
            CopyStreams.once(routed, "findings-copies"),
            RoutesFunction.ofGroups(routes),
            "findings-routes-of-groups");
    DataStream<Event> found = wrongClocks(received, clocks);
    for (Finder finder : finders) {
      found = found.union(finder.find(routed, routedOfGroups));
    }
    found.sinkTo(findings).name("findings").uid("findings-sink");
  }

  private static SingleOutputStreamOperator<Event> routed(
      DataStream<Event> events, RoutesFunction routes, String uid) {
    return events
        .process(routes)
        .returns(ProtobufTypeInfo.forMessage(Event.class))
        .name(uid)
        .uid(uid);
  }

  private static DataStream<Event> wrongClocks(DataStream<Event> received, ClockRules rules) {
    return received
        .process(new ClockReadingsFunction(rules))
        .returns(TypeInformation.of(ClockReading.class))
        .name("findings-clock-readings")
        .uid("findings-clock-readings")
        .keyBy(ClockRules::keyOf, Types.STRING)
        .process(new KeyedRulesFunction<>(rules, "wrong-clocks", WrongClocks.class))
        .returns(ProtobufTypeInfo.forMessage(Event.class))
        .name("findings-clocks")
        .uid("findings-clocks");
  }

  /**
   * What makes one finding.
   *
   * @param uid of its operator
   * @param concerned says which events it is about
   * @param key what they are counted for
   * @param function the operator
   */
  private record Finder(
      String uid,
      FilterFunction<Event> concerned,
      KeySelector<Event, String> key,
      KeyedProcessFunction<String, Event, Event> function) {
    static <S extends TimedState> Finder of(
        String uid, FindingRules<Event, S> rules, String stateName, Class<S> stateClass) {
      return new Finder(
          uid,
          rules::concerns,
          rules::keyOf,
          new KeyedRulesFunction<>(rules, stateName, stateClass));
    }

    RoutesFunction.Route route() {
      return new RoutesFunction.Route(output(), concerned);
    }

    private OutputTag<Event> output() {
      return new OutputTag<>(uid, ProtobufTypeInfo.forMessage(Event.class));
    }

    DataStream<Event> find(
        SingleOutputStreamOperator<Event> routed,
        SingleOutputStreamOperator<Event> routedOfGroups) {
      return routed
          .getSideOutput(output())
          .union(routedOfGroups.getSideOutput(output()))
          .keyBy(key, Types.STRING)
          .process(function)
          .returns(ProtobufTypeInfo.forMessage(Event.class))
          .name(uid)
          .uid(uid);
    }
  }
}
