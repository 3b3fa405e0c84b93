package io.tocsin.jobs.findings;

import io.tocsin.correlation.findings.Answer;
import io.tocsin.events.v1.Event;
import java.io.IOException;
import java.util.function.Supplier;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.TimerService;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Loads what is known of a key, asks a rule, saves the answer, sets the timer. No rule stands here;
 * the state classes say what bounds them.
 *
 * <p>A key has one timer. One that is set stays where a rule wants a later one: it comes early, and
 * the rule says when to look again. So a busy key costs a timer for each period of its rule and not
 * for each event.
 *
 * @param <S> state of the rule
 */
abstract class FindingFunction<S> extends KeyedProcessFunction<String, Event, Event> {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final String stateName;
  private final Class<S> stateClass;
  private transient ValueState<S> known;
  private transient ValueState<Long> timerMillis;

  FindingFunction(String stateName, Class<S> stateClass) {
    this.stateName = stateName;
    this.stateClass = stateClass;
  }

  /** What is known before the first event. */
  abstract Supplier<S> nothing();

  abstract Answer onEvent(S state, Event event, TimerService timers);

  abstract Answer onTimer(S state, String key, long nowUnixNanos);

  /** Whether the state is to be forgotten. */
  abstract boolean isOver(S state, long nowUnixNanos);

  /** Sets a timer; of event time, unless a rule wants the job's own clock. */
  void setTimer(TimerService timers, long millis) {
    timers.registerEventTimeTimer(millis);
  }

  /** Takes a timer back that {@link #setTimer} has set. */
  void deleteTimer(TimerService timers, long millis) {
    timers.deleteEventTimeTimer(millis);
  }

  @Override
  public void open(OpenContext context) {
    known =
        getRuntimeContext()
            .getState(new ValueStateDescriptor<>(stateName, TypeInformation.of(stateClass)));
    timerMillis = getRuntimeContext().getState(new ValueStateDescriptor<>("timer", Types.LONG));
  }

  @Override
  public void processElement(Event event, Context context, Collector<Event> out)
      throws IOException {
    S state = known.value() == null ? nothing().get() : known.value();
    follow(onEvent(state, event, context.timerService()), context.timerService(), out);
    known.update(state);
  }

  @Override
  public void onTimer(long timestampMillis, OnTimerContext context, Collector<Event> out)
      throws IOException {
    Long set = timerMillis.value();
    if (set != null && set == timestampMillis) {
      timerMillis.clear();
    }
    S state = known.value();
    if (state != null) {
      long now = timestampMillis * NANOS_PER_MILLI;
      follow(onTimer(state, context.getCurrentKey(), now), context.timerService(), out);
      known.update(isOver(state, now) ? null : state);
    }
  }

  private void follow(Answer answer, TimerService timers, Collector<Event> out) throws IOException {
    answer.updates().forEach(out::collect);
    if (answer.nextTimerUnixNanos().isEmpty()) {
      return;
    }
    // Rounded up, so that the timer is not early.
    long wanted = -Math.floorDiv(-answer.nextTimerUnixNanos().getAsLong(), NANOS_PER_MILLI);
    Long set = timerMillis.value();
    if (set != null && set <= wanted) {
      return;
    }
    if (set != null) {
      deleteTimer(timers, set);
    }
    setTimer(timers, wanted);
    timerMillis.update(wanted);
  }
}
