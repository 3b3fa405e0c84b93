package io.tocsin.jobs.registrations;

import io.tocsin.correlation.LongestUnheard;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import io.tocsin.correlation.TimedState;
import io.tocsin.correlation.registrations.Observation;
import io.tocsin.correlation.registrations.findings.Complaints;
import io.tocsin.correlation.registrations.findings.Complaints.Complaint;
import io.tocsin.correlation.registrations.findings.EvidenceRules;
import io.tocsin.events.v1.Event;
import io.tocsin.jobs.KeyedRulesFunction;
import io.tocsin.jobs.TimedValue;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReadOnlyBroadcastState;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.TimeDomain;
import org.apache.flink.streaming.api.TimerService;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.util.Collector;

/**
 * As {@link KeyedRulesFunction}, with what servers complain of as evidence. It goes to every
 * instance, because a log names its host and the wire an address.
 *
 * @param <S> state of the rules
 */
final class EvidenceRulesFunction<S extends TimedState>
    extends KeyedBroadcastProcessFunction<String, Observation, Observation, Event> {
  /** Of all servers; who was unheard the longest goes first. A log's host is what a line says. */
  static final int MOST_COMPLAINTS = 256;

  /** Complaints by kind, site and server; one is given up ten minutes after its newest line. */
  static final MapStateDescriptor<String, Complaint> COMPLAINTS =
      new MapStateDescriptor<>("complaints", Types.STRING, TypeInformation.of(Complaint.class));

  private final EvidenceRules<S> rules;
  private final Class<S> stateClass;
  private transient TimedValue<S> state;
  private transient Counter evictedEntries;

  /** The rules with what the broadcast state holds, made anew when that changes. */
  private transient EvidenceRules<S> given;

  EvidenceRulesFunction(EvidenceRules<S> rules, Class<S> stateClass) {
    this.rules = rules;
    this.stateClass = stateClass;
  }

  @Override
  public void open(OpenContext context) {
    state = TimedValue.of(getRuntimeContext(), "finding", stateClass, TimeDomain.EVENT_TIME);
    evictedEntries =
        getRuntimeContext().getMetricGroup().counter(KeyedRulesFunction.EVICTED_ENTRIES_TOTAL);
  }

  @Override
  public void processElement(Observation seen, ReadOnlyContext context, Collector<Event> out)
      throws Exception {
    EvidenceRules<S> informed = informed(context.getBroadcastState(COMPLAINTS));
    follow(informed.onInput(state.value(), seen), context.timerService(), out);
  }

  @Override
  public void processBroadcastElement(Observation line, Context context, Collector<Event> out)
      throws Exception {
    BroadcastState<String, Complaint> known = context.getBroadcastState(COMPLAINTS);
    Map<String, Complaint> kept = new HashMap<>();
    for (Map.Entry<String, Complaint> entry : known.immutableEntries()) {
      kept.put(entry.getKey(), entry.getValue());
    }
    long oldest = line.timeUnixNanos() - Complaints.LIFE_NANOS;
    for (String old : List.copyOf(kept.keySet())) {
      if (kept.get(old).newestUnixNanos() < oldest) {
        kept.remove(old);
        known.remove(old);
      }
    }
    String key = line.kind() + "|" + line.site() + "|" + line.server();
    if (!kept.containsKey(key) && kept.size() >= MOST_COMPLAINTS) {
      known.remove(LongestUnheard.in(kept, Complaint::newestUnixNanos, any -> true).orElseThrow());
      evictedEntries.inc();
    }
    known.put(key, Complaint.of(kept.get(key), line));
    given = null;
  }

  @Override
  public void onTimer(long timestampMillis, OnTimerContext context, Collector<Event> out)
      throws Exception {
    S due = state.due(timestampMillis);
    if (due != null) {
      EvidenceRules<S> informed = informed(context.getBroadcastState(COMPLAINTS));
      long now = Nanos.ofMillis(timestampMillis);
      follow(informed.onTimer(due, now), context.timerService(), out);
    }
  }

  private EvidenceRules<S> informed(ReadOnlyBroadcastState<String, Complaint> known)
      throws Exception {
    if (given == null) {
      given = rules.given(complaints(known));
    }
    return given;
  }

  private static Complaints complaints(ReadOnlyBroadcastState<String, Complaint> known)
      throws Exception {
    List<Complaint> lines = new ArrayList<>();
    for (Map.Entry<String, Complaint> entry : known.immutableEntries()) {
      lines.add(entry.getValue());
    }
    return lines.isEmpty() ? Complaints.NONE : new Complaints(lines);
  }

  private void follow(Step<S, Event> step, TimerService timers, Collector<Event> out)
      throws IOException {
    step.decisions().forEach(out::collect);
    evictedEntries.inc(step.evicted());
    state.save(step, timers);
  }
}
