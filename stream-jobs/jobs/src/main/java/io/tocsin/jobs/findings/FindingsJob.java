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
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;

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
    JobRunner.prepare(env, options, Buffering.BATCHED);
    KafkaEndpoints kafka = new KafkaEndpoints(options.kafka(), Buffering.BATCHED.fetchWait());
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
    Events events =
        new Events(
            received,
            CopyStreams.once(
                received.filter(Event::hasCopies).name("findings-groups").uid("findings-groups"),
                "findings-copies"));
    DataStream<Event> gateways =
        find(
            events,
            new GatewayRules(),
            "gateway-group",
            GatewayGroup.class,
            "findings-gateway-claims",
            "findings-gateways");
    DataStream<Event> tables =
        find(
            events,
            connectionLimit,
            "connection-table",
            ConnectionTable.class,
            "findings-connection-events",
            "findings-connection-tables");
    DataStream<Event> agents =
        find(
            events,
            Event::hasAgentStats,
            Event::getAgentId,
            new AgentsFunction(agentSilent),
            "findings-heartbeats",
            "findings-agents");
    DataStream<Event> gaps =
        find(
            events,
            new SequenceGapRules(),
            "sequence-gaps",
            SequenceGaps.class,
            "findings-gaps",
            "findings-sequence-gaps");
    DataStream<Event> storage =
        find(
            events,
            storageSlow,
            "host-load",
            HostLoad.class,
            "findings-host-figures",
            "findings-hosts");
    DataStream<Event> answers =
        find(
            events,
            resolvers,
            "resolver",
            ResolverState.class,
            "findings-dns-answers",
            "findings-resolvers");
    DataStream<Event> wrongClocks = wrongClocks(events, clocks);
    gateways
        .union(tables, agents, gaps, storage, answers, wrongClocks)
        .sinkTo(findings)
        .name("findings")
        .uid("findings-sink");
  }

  /**
   * What the rules may see.
   *
   * @param received everything, copies too
   * @param firstOfGroups of what agents of a group received, the first of each message
   */
  private record Events(DataStream<Event> received, DataStream<Event> firstOfGroups) {
    /** Those that pass a filter, once each. */
    DataStream<Event> that(FilterFunction<Event> filter, String uid) {
      return received
          .filter(event -> !event.hasCopies() && filter.filter(event))
          .name(uid)
          .uid(uid)
          .union(firstOfGroups.filter(filter).name(uid + "-of-groups").uid(uid + "-of-groups"));
    }
  }

  private static DataStream<Event> wrongClocks(Events events, ClockRules rules) {
    return events
        .received()
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

  private static <S extends TimedState> DataStream<Event> find(
      Events events,
      FindingRules<Event, S> rules,
      String stateName,
      Class<S> stateClass,
      String filterUid,
      String uid) {
    return find(
        events,
        rules::concerns,
        rules::keyOf,
        new KeyedRulesFunction<>(rules, stateName, stateClass),
        filterUid,
        uid);
  }

  private static DataStream<Event> find(
      Events events,
      FilterFunction<Event> filter,
      KeySelector<Event, String> key,
      KeyedProcessFunction<String, Event, Event> function,
      String filterUid,
      String uid) {
    return events
        .that(filter, filterUid)
        .keyBy(key, Types.STRING)
        .process(function)
        .returns(ProtobufTypeInfo.forMessage(Event.class))
        .name(uid)
        .uid(uid);
  }
}
