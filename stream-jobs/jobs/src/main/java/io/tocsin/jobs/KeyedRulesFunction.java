package io.tocsin.jobs;

import io.tocsin.correlation.KeyedRules;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import io.tocsin.correlation.TimedState;
import java.io.IOException;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.TimeDomain;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Loads what is known of a key, asks the rules, saves and does what they answer, in event time. No
 * rule stands here; the state classes say what bounds them.
 *
 * @param <I> input
 * @param <S> state of the rules
 * @param <D> what they decide
 */
public final class KeyedRulesFunction<I, S extends TimedState, D>
    extends KeyedProcessFunction<String, I, D> {
  /** Counter: entries that rules dropped because the state of a key was full. */
  public static final String EVICTED_ENTRIES_TOTAL = "evicted_entries_total";

  private final KeyedRules<I, S, D> rules;
  private final String stateName;
  private final Class<S> stateClass;
  private transient TimedValue<S> state;
  private transient Counter evictedEntries;

  /**
   * The operator of some rules.
   *
   * @param stateName of the state in checkpoints
   * @param stateClass of the rules
   */
  public KeyedRulesFunction(KeyedRules<I, S, D> rules, String stateName, Class<S> stateClass) {
    this.rules = rules;
    this.stateName = stateName;
    this.stateClass = stateClass;
  }

  @Override
  public void open(OpenContext context) {
    state = TimedValue.of(getRuntimeContext(), stateName, stateClass, TimeDomain.EVENT_TIME);
    evictedEntries = getRuntimeContext().getMetricGroup().counter(EVICTED_ENTRIES_TOTAL);
  }

  @Override
  public void processElement(I input, Context context, Collector<D> out) throws IOException {
    follow(rules.onInput(state.value(), input), context, out);
  }

  @Override
  public void onTimer(long timestampMillis, OnTimerContext context, Collector<D> out)
      throws IOException {
    S due = state.due(timestampMillis);
    if (due != null) {
      follow(rules.onTimer(due, Nanos.ofMillis(timestampMillis)), context, out);
    }
  }

  private void follow(Step<S, D> step, Context context, Collector<D> out) throws IOException {
    step.decisions().forEach(out::collect);
    evictedEntries.inc(step.evicted());
    state.save(step, context.timerService());
  }
}
