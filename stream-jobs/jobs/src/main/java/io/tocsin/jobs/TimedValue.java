package io.tocsin.jobs;

import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import io.tocsin.correlation.TimedState;
import java.io.IOException;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.TimeDomain;
import org.apache.flink.streaming.api.TimerService;

/**
 * What rules know of a key, in Flink's keyed state, and its one timer. A timer that is set stays
 * where the rules want a later one: it comes early, and they say when to look again. So a busy key
 * costs a timer for each period of its rules and not for each event.
 *
 * @param <S> state of the rules
 */
public final class TimedValue<S extends TimedState> {
  private final ValueState<S> state;
  private final TimeDomain domain;
  private final boolean isOnlyOneOfItsKey;

  /** What was read last: the timer of a key that is forgotten stands there. */
  private S loaded;

  private TimedValue(ValueState<S> state, TimeDomain domain, boolean isOnlyOneOfItsKey) {
    this.state = state;
    this.domain = domain;
    this.isOnlyOneOfItsKey = isOnlyOneOfItsKey;
  }

  /** The only state of its key that has a timer. */
  public static <S extends TimedState> TimedValue<S> of(
      RuntimeContext context, String name, Class<S> type, TimeDomain domain) {
    return new TimedValue<>(stateOf(context, name, type), domain, true);
  }

  /**
   * One of several states of a key, in event time. A timer that is not needed any more is left,
   * because another state may have the same; it is no longer {@link #due} when it comes.
   */
  public static <S extends TimedState> TimedValue<S> oneOfSeveral(
      RuntimeContext context, String name, Class<S> type) {
    return new TimedValue<>(stateOf(context, name, type), TimeDomain.EVENT_TIME, false);
  }

  private static <S> ValueState<S> stateOf(RuntimeContext context, String name, Class<S> type) {
    return context.getState(new ValueStateDescriptor<>(name, TypeInformation.of(type)));
  }

  /** State of the current key, null where there is none. */
  public S value() throws IOException {
    loaded = state.value();
    return loaded;
  }

  /** State that the timer of a time belongs to; null where it was replaced meanwhile. */
  public S due(long timestampMillis) throws IOException {
    S value = value();
    if (value == null || value.timerUnixMillis != timestampMillis) {
      return null;
    }
    value.timerUnixMillis = Step.NO_TIMER;
    return value;
  }

  /** Saves the state that a step names, and sets, replaces or leaves the timer. */
  public void save(Step<S, ?> step, TimerService timers) throws IOException {
    long set = loaded == null ? Step.NO_TIMER : loaded.timerUnixMillis;
    S next = step.state();
    if (next == null) {
      delete(timers, set);
    } else if (step.nextTimerUnixNanos() != Step.NO_TIMER) {
      long wanted = Nanos.toMillisUp(step.nextTimerUnixNanos());
      if (wanted < set) {
        delete(timers, set);
        register(timers, wanted);
        next.timerUnixMillis = wanted;
      }
    }
    state.update(next);
  }

  private void register(TimerService timers, long millis) {
    if (domain == TimeDomain.EVENT_TIME) {
      timers.registerEventTimeTimer(millis);
    } else {
      timers.registerProcessingTimeTimer(millis);
    }
  }

  private void delete(TimerService timers, long millis) {
    if (millis == Step.NO_TIMER || !isOnlyOneOfItsKey) {
      return;
    }
    if (domain == TimeDomain.EVENT_TIME) {
      timers.deleteEventTimeTimer(millis);
    } else {
      timers.deleteProcessingTimeTimer(millis);
    }
  }
}
