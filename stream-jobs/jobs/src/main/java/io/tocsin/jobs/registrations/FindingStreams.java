package io.tocsin.jobs.registrations;

import io.tocsin.correlation.TimedState;
import io.tocsin.correlation.findings.FindingRules;
import io.tocsin.correlation.registrations.Observation;
import io.tocsin.correlation.registrations.findings.AddressRules;
import io.tocsin.correlation.registrations.findings.CircuitRules;
import io.tocsin.correlation.registrations.findings.DiscoverRules;
import io.tocsin.correlation.registrations.findings.EvidenceRules;
import io.tocsin.correlation.registrations.findings.FindingLimits;
import io.tocsin.correlation.registrations.findings.LatencyRules;
import io.tocsin.correlation.registrations.findings.PeerRules;
import io.tocsin.correlation.registrations.findings.RefusalRules;
import io.tocsin.correlation.registrations.findings.RenewalRules;
import io.tocsin.events.v1.Event;
import io.tocsin.jobs.Buffering;
import io.tocsin.jobs.KeyedRulesFunction;
import io.tocsin.model.ProtobufTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.BroadcastStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/**
 * The findings' part of the graph: each rule with the observations that concern it. Findings wait
 * for event time, so observations go to them in company: one by one, each message of a client would
 * wake up to four tasks.
 */
final class FindingStreams {
  private final DataStream<Observation> observations;
  private final BroadcastStream<Observation> complaints;

  private FindingStreams(DataStream<Observation> observations) {
    this.observations = observations;
    this.complaints =
        observations
            .filter(FindingStreams::isComplaint)
            .name("complaints")
            .uid("registrations-complaints-filter")
            .setBufferTimeout(Buffering.BATCHED.bufferTimeout().toMillis())
            .broadcast(EvidenceRulesFunction.COMPLAINTS);
  }

  /** All findings. */
  static DataStream<Event> of(DataStream<Observation> observations, FindingLimits limits) {
    FindingStreams streams = new FindingStreams(observations);
    return streams
        .by(new RenewalRules(limits), RenewalRules.Renewals.class, "renewals")
        .union(
            streams.by(new RefusalRules(limits), RefusalRules.Refusals.class, "refusals"),
            streams.by(new LatencyRules(limits), LatencyRules.Answers.class, "latencies"),
            streams.by(new DiscoverRules(limits), DiscoverRules.Link.class, "links"),
            streams.by(new PeerRules(limits), PeerRules.Peers.class, "peers"),
            streams.by(new AddressRules(limits), AddressRules.Address.class, "addresses"),
            streams.by(new CircuitRules(limits), CircuitRules.Moves.class, "circuits"));
  }

  private <S extends TimedState> DataStream<Event> by(
      FindingRules<Observation, S> rules, Class<S> stateClass, String name) {
    KeyedStream<Observation, String> concerned =
        observations
            .filter(rules::concerns)
            .name(name)
            .uid("registrations-" + name + "-filter")
            .setBufferTimeout(Buffering.BATCHED.bufferTimeout().toMillis())
            .keyBy(rules::keyOf, Types.STRING);
    SingleOutputStreamOperator<Event> findings =
        rules instanceof EvidenceRules<S> evidenceRules
            ? concerned
                .connect(complaints)
                .process(new EvidenceRulesFunction<>(evidenceRules, stateClass))
            : concerned.process(new KeyedRulesFunction<>(rules, "finding", stateClass));
    return findings
        .returns(ProtobufTypeInfo.forMessage(Event.class))
        .name(name + " rules")
        .uid("registrations-" + name + "-rules");
  }

  private static boolean isComplaint(Observation seen) {
    return switch (seen.kind()) {
      case SEND_FAILED, NO_FREE_LEASES -> true;
      default -> false;
    };
  }
}
