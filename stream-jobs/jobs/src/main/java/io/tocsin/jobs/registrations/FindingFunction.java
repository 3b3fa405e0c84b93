package io.tocsin.jobs.registrations;

import io.tocsin.correlation.registrations.Observation;
import io.tocsin.correlation.registrations.findings.Complaints;
import io.tocsin.correlation.registrations.findings.Complaints.Complaint;
import io.tocsin.correlation.registrations.findings.FindingRules;
import io.tocsin.correlation.registrations.findings.FindingStep;
import io.tocsin.events.v1.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReadOnlyBroadcastState;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.TimerService;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Loads what a rule knows of a key, asks it, saves the answer. What servers complain of is told to
 * every instance, because a log names its host and the wire an address. Keys have one timer at a
 * time.
 *
 * @param <S> state of the rule
 */
final class FindingFunction<S>
    extends KeyedBroadcastProcessFunction<String, Observation, Observation, Event> {
  /** Complaints by kind, site and server; one is given up ten minutes after its newest line. */
  static final MapStateDescriptor<String, Complaint> COMPLAINTS =
      new MapStateDescriptor<>("complaints", Types.STRING, TypeInformation.of(Complaint.class));

  private static final long NANOS_PER_MILLI = 1_000_000;

  private final FindingRules<S> rules;
  private final Class<S> stateClass;
  private transient ValueState<S> state;
  private transient ValueState<Long> timerMillis;

  FindingFunction(FindingRules<S> rules, Class<S> stateClass) {
    this.rules = rules;
    this.stateClass = stateClass;
  }

  @Override
  public void open(OpenContext context) {
    state =
        getRuntimeContext()
            .getState(new ValueStateDescriptor<>("finding", TypeInformation.of(stateClass)));
    timerMillis = getRuntimeContext().getState(new ValueStateDescriptor<>("timer", Types.LONG));
  }

  @Override
  public void processElement(Observation seen, ReadOnlyContext context, Collector<Event> out)
      throws Exception {
    Complaints complaints = complaints(context.getBroadcastState(COMPLAINTS));
    follow(rules.onObservation(state.value(), seen, complaints), context.timerService(), out);
  }

  @Override
  public void processBroadcastElement(Observation line, Context context, Collector<Event> out)
      throws Exception {
    BroadcastState<String, Complaint> known = context.getBroadcastState(COMPLAINTS);
    List<String> old = new ArrayList<>();
    for (Map.Entry<String, Complaint> entry : known.entries()) {
      long age = line.timeUnixNanos() - entry.getValue().newestUnixNanos();
      if (age > Complaints.LIFE_NANOS) {
        old.add(entry.getKey());
      }
    }
    for (String key : old) {
      known.remove(key);
    }
    String key = line.kind() + "|" + line.site() + "|" + line.server();
    known.put(key, Complaint.of(known.get(key), line));
  }

  @Override
  public void onTimer(long timestampMillis, OnTimerContext context, Collector<Event> out)
      throws Exception {
    Long set = timerMillis.value();
    if (set == null || set != timestampMillis) {
      return;
    }
    timerMillis.clear();
    Complaints complaints = complaints(context.getBroadcastState(COMPLAINTS));
    long now = timestampMillis * NANOS_PER_MILLI;
    follow(rules.onTimer(state.value(), now, complaints), context.timerService(), out);
  }

  private static Complaints complaints(ReadOnlyBroadcastState<String, Complaint> known)
      throws Exception {
    List<Complaint> lines = new ArrayList<>();
    for (Map.Entry<String, Complaint> entry : known.immutableEntries()) {
      lines.add(entry.getValue());
    }
    return lines.isEmpty() ? Complaints.NONE : new Complaints(lines);
  }

  private void follow(FindingStep<S> step, TimerService timers, Collector<Event> out)
      throws Exception {
    state.update(step.state());
    step.findings().forEach(out::collect);
    Long set = timerMillis.value();
    if (step.nextTimerUnixNanos().isEmpty()) {
      if (set != null) {
        timers.deleteEventTimeTimer(set);
        timerMillis.clear();
      }
      return;
    }
    // Rounded up, so that the timer is not early; one that comes earlier looks again.
    long wanted = -Math.floorDiv(-step.nextTimerUnixNanos().getAsLong(), NANOS_PER_MILLI);
    if (set == null || wanted < set) {
      if (set != null) {
        timers.deleteEventTimeTimer(set);
      }
      timers.registerEventTimeTimer(wanted);
      timerMillis.update(wanted);
    }
  }
}
