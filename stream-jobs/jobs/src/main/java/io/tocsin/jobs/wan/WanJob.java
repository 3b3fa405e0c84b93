package io.tocsin.jobs.wan;

import io.tocsin.connectors.kafka.KafkaEndpoints;
import io.tocsin.connectors.kafka.Topics;
import io.tocsin.correlation.wan.LinkUpdate;
import io.tocsin.correlation.wan.Probe;
import io.tocsin.correlation.wan.SyslogHistory;
import io.tocsin.correlation.wan.WanSettings;
import io.tocsin.events.v1.Event;
import io.tocsin.jobs.AgentsClock;
import io.tocsin.jobs.Buffering;
import io.tocsin.jobs.JobRunner;
import io.tocsin.jobs.Restart;
import io.tocsin.jobs.copies.CopyStreams;
import io.tocsin.model.ProtobufTypeInfo;
import io.tocsin.wan.v1.WanEpisode;
import java.time.Duration;
import java.util.List;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/**
 * Makes episodes of probes: topics {@code events-probe-v1}, {@code events-counters-v1} and {@code
 * events-syslog-v1} through the rules of {@code correlation/wan} to topic {@code wan-episodes-v1}
 * and, as alert updates, to {@code events-alert-v1}, both at once and at least once.
 *
 * <p>Everything is judged in event time. Watermarks follow the agents' clock, received_at, with
 * {@value #MAX_DISORDER_MILLIS} ms for what comes in another order. Only probes hold them back;
 * where none is sent they move on the heartbeats of {@code agent-stats-v1}. An agent that is silent
 * sends no lost probes, so its links are not down: nothing is known of them, and after an hour they
 * are forgotten.
 */
public final class WanJob {
  /** Name of the job and of its consumer group. */
  public static final String NAME = "tocsin-wan";

  private static final long MAX_DISORDER_MILLIS = 1_000;

  private WanJob() {}

  /** Runs the job with the options of {@link WanOptions}. */
  public static void main(String[] args) throws Exception {
    JobRunner.run(NAME, new WanOptions(), WanJob::configure, args);
  }

  /** Builds the job's graph against the Kafka of the options. */
  public static void configure(StreamExecutionEnvironment env, WanOptions options) {
    KafkaEndpoints kafka = JobRunner.prepare(env, options, Buffering.BATCHED, Restart.AFTER_PAGES);
    List<String> topics =
        List.of(
            Topics.EVENTS_PROBE, Topics.EVENTS_COUNTERS, Topics.EVENTS_SYSLOG, Topics.AGENT_STATS);
    define(
        env, options.settings(), kafka.events(NAME, topics), kafka.wanEpisodes(), kafka.findings());
  }

  /**
   * Builds the job's graph.
   *
   * @param settings of the rules
   * @param events probes, counters, syslog and heartbeats; other bodies are left alone
   * @param transitions takes every transition of an episode without waiting
   * @param alerts takes the alert updates of the episodes
   */
  public static void define(
      StreamExecutionEnvironment env,
      WanSettings settings,
      Source<Event, ?, ?> events,
      Sink<WanEpisode> transitions,
      Sink<Event> alerts) {
    SingleOutputStreamOperator<Event> ofLinks =
        env.fromSource(
                events,
                AgentsClock.watermarksHeldByProbes(Duration.ofMillis(MAX_DISORDER_MILLIS)),
                "events")
            .uid("wan-events-source")
            .process(new LinkEventsFunction())
            .returns(ProtobufTypeInfo.forMessage(Event.class))
            .name("probes, counters, syslog of links")
            .uid("wan-events-filter");
    SingleOutputStreamOperator<WanEpisode> episodes =
        ofLinks
            .union(
                CopyStreams.once(ofLinks.getSideOutput(LinkEventsFunction.OF_GROUPS), "wan-copies"))
            .keyBy(Event::getDevice, Types.STRING)
            .process(new LinksFunction(settings))
            .returns(TypeInformation.of(LinkUpdate.class))
            .name("links")
            .uid("wan-links")
            .keyBy(LinkUpdate::place, Types.STRING)
            .process(new RemoteSitesFunction())
            .returns(ProtobufTypeInfo.forMessage(WanEpisode.class))
            .name("remote sites")
            .uid("wan-remote-sites");

    episodes.sinkTo(transitions).name("episodes topic").uid("wan-episodes-sink");
    episodes
        .getSideOutput(RemoteSitesFunction.ALERTS)
        .sinkTo(alerts)
        .name("alert updates")
        .uid("wan-alerts-sink");
  }

  /** The bytes as received are for the archive alone, and would stand in the state of links. */
  private static final class LinkEventsFunction extends ProcessFunction<Event, Event> {
    static final OutputTag<Event> OF_GROUPS =
        new OutputTag<>("of-groups", ProtobufTypeInfo.forMessage(Event.class));

    @Override
    public void processElement(Event event, Context context, Collector<Event> out) {
      if (!concernsLinks(event)) {
        return;
      }
      Event withoutRaw = event.toBuilder().clearRaw().build();
      if (event.hasCopies()) {
        context.output(OF_GROUPS, withoutRaw);
      } else {
        out.collect(withoutRaw);
      }
    }
  }

  private static boolean concernsLinks(Event event) {
    return switch (event.getBodyCase()) {
      case LINK_PROBE -> Probe.wasSent(event) && !event.getLinkProbe().getLinkId().isEmpty();
      case INTERFACE_COUNTERS -> true;
      case SYSLOG -> SyslogHistory.isWorthKeeping(event);
      default -> false;
    };
  }
}
