package io.tocsin.jobs.registrations;

import io.tocsin.connectors.kafka.KafkaEndpoints;
import io.tocsin.connectors.kafka.Topics;
import io.tocsin.correlation.registrations.Observation;
import io.tocsin.correlation.registrations.RegistrationRules;
import io.tocsin.correlation.registrations.findings.FindingLimits;
import io.tocsin.events.v1.Event;
import io.tocsin.jobs.AgentsClock;
import io.tocsin.jobs.Buffering;
import io.tocsin.jobs.JobRunner;
import io.tocsin.jobs.Restart;
import io.tocsin.jobs.copies.CopyStreams;
import io.tocsin.model.ProtobufTypeInfo;
import io.tocsin.registrations.v1.Device;
import io.tocsin.registrations.v1.LeaseLatency;
import io.tocsin.registrations.v1.Registration;
import java.time.Duration;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SideOutputDataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;

/**
 * Follows every device on the network: topics {@code events-dhcp-v1} and {@code devices-v1} through
 * {@link RegistrationRules} to topic {@code registrations-v1}. How long servers take to answer goes
 * to {@code lease-latencies-v1}. What is wrong on the way goes to {@code events-alert-v1} as alert
 * updates, and becomes alerts like everybody else's. All of it at once and at least once.
 *
 * <p>Watermarks follow the agents' clock, received_at. The agents' counters are read beside the
 * messages, because they come each second: leases end on time though no client says a word. The
 * register has no time of its own and holds nothing up.
 */
public final class RegistrationsJob {
  /** Name of the job and of its consumer group. */
  public static final String NAME = "tocsin-registrations";

  private static final Duration MAX_DISORDER = Duration.ofSeconds(1);
  private static final Duration ALLOWED_LATENESS = Duration.ofMinutes(1);
  private static final Duration REPEAT_WINDOW = Duration.ofSeconds(10);
  private static final Duration FORGET_AFTER = Duration.ofDays(7);

  private RegistrationsJob() {}

  /** Runs the job with the options of {@link RegistrationsOptions}. */
  public static void main(String[] args) throws Exception {
    JobRunner.run(NAME, new RegistrationsOptions(), RegistrationsJob::configure, args);
  }

  /** Builds the job's graph against the Kafka of the options. */
  public static void configure(StreamExecutionEnvironment env, RegistrationsOptions options) {
    KafkaEndpoints kafka =
        JobRunner.prepare(env, options, Buffering.LOW_LATENCY, Restart.AFTER_PAGES);
    define(
        env,
        kafka.events(NAME, List.of(Topics.EVENTS_DHCP, Topics.AGENT_STATS)),
        kafka.devices(NAME),
        options.limits(),
        kafka.registrations(),
        kafka.leaseLatencies(),
        kafka.findings());
  }

  /**
   * Builds the job's graph.
   *
   * @param events DHCP messages, and anything that an agent sends while no client speaks
   * @param devices the register
   * @param limits what the findings compare with
   * @param transitions takes every transition without waiting
   * @param answers takes the latency of every answer
   * @param findings takes what is wrong, as alert updates
   */
  public static void define(
      StreamExecutionEnvironment env,
      Source<Event, ?, ?> events,
      Source<Device, ?, ?> devices,
      FindingLimits limits,
      Sink<Registration> transitions,
      Sink<LeaseLatency> answers,
      Sink<Event> findings) {
    DataStream<Event> received =
        env.fromSource(events, AgentsClock.watermarks(MAX_DISORDER), "events")
            .uid("registrations-events-source");
    var messages =
        received
            .filter(event -> event.hasDhcp() && !event.hasCopies())
            .name("dhcp messages")
            .uid("registrations-dhcp-filter")
            .union(
                CopyStreams.once(
                    received
                        .filter(event -> event.hasDhcp() && event.hasCopies())
                        .name("dhcp messages of groups")
                        .uid("registrations-groups-filter"),
                    "registrations-copies"))
            .keyBy(event -> event.getDhcp().getMac(), Types.STRING);
    var register =
        env.fromSource(devices, AgentsClock.timeless(), "devices")
            .uid("registrations-devices-source")
            .keyBy(Device::getMac, Types.STRING);
    SingleOutputStreamOperator<Registration> decisions =
        messages
            .connect(register)
            .process(new RegistrationFunction(ALLOWED_LATENESS, REPEAT_WINDOW, FORGET_AFTER))
            .returns(ProtobufTypeInfo.forMessage(Registration.class))
            .name("registration rules")
            .uid("registrations-rules");

    decisions.sinkTo(transitions).name("registrations topic").uid("registrations-transitions-sink");

    SideOutputDataStream<Observation> observations =
        decisions.getSideOutput(RegistrationFunction.OBSERVATIONS);
    observations
        .flatMap(RegistrationsJob::collectAnswer)
        .returns(ProtobufTypeInfo.forMessage(LeaseLatency.class))
        .name("answers")
        .uid("registrations-answers")
        .sinkTo(answers)
        .name("lease latencies topic")
        .uid("registrations-latencies-sink");

    FindingStreams.of(observations, limits)
        .sinkTo(findings)
        .name("findings")
        .uid("registrations-findings-sink");
  }

  private static void collectAnswer(Observation seen, Collector<LeaseLatency> out) {
    switch (seen.kind()) {
      case OFFER_LATENCY -> out.collect(answer(seen, LeaseLatency.Kind.KIND_OFFER));
      case ACK_LATENCY -> out.collect(answer(seen, LeaseLatency.Kind.KIND_ACK));
      default -> {
        // No answer, or one without its question.
      }
    }
  }

  private static LeaseLatency answer(Observation seen, LeaseLatency.Kind kind) {
    return LeaseLatency.newBuilder()
        .setEventId(seen.eventId())
        .setEventTimeUnixNanos(seen.timeUnixNanos())
        .setKind(kind)
        .setFamily(seen.family())
        .setMac(seen.mac())
        .setIp(seen.ip())
        .setServer(seen.server())
        .setScope(seen.scope())
        .setRelay(seen.link().equals(Observation.LOCAL) ? "" : seen.link())
        .setSite(seen.site())
        .setLatencyMs(seen.latencyMs())
        .build();
  }
}
