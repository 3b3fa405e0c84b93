package io.tocsin.jobs.copies;

import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import io.tocsin.correlation.copies.Arrival;
import io.tocsin.correlation.copies.Copies;
import io.tocsin.correlation.copies.Heard;
import io.tocsin.correlation.copies.Verdict;
import io.tocsin.events.v1.Event;
import io.tocsin.jobs.KeyedRulesFunction;
import io.tocsin.jobs.TimedValue;
import java.io.IOException;
import java.io.Serializable;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.TimeDomain;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Asks {@link Copies} about each event of a group of agents. The timestamps of elements are those
 * of Kafka's records.
 *
 * @param <I> what carries an event
 * @param <O> what goes on
 */
public final class CopiesFunction<I, O> extends KeyedProcessFunction<String, I, O> {
  /** Counter: events that another agent had told before. */
  public static final String DUPLICATE_EVENTS_TOTAL = "duplicate_events_total";

  /** Finds the event. */
  public interface Reader<I> extends Serializable {
    /** The event that an element carries. */
    Event eventOf(I input);
  }

  /** Does what the rules say. */
  public interface Outcome<I, O> extends Serializable {
    /** What goes on of an element; null for nothing. */
    O of(I input, Verdict verdict);
  }

  private final Copies rules = new Copies();
  private final Reader<I> reader;
  private final Outcome<I, O> outcome;
  private transient TimedValue<Heard> state;
  private transient Counter duplicateEvents;
  private transient Counter evictedEntries;

  /** An operator for some stream. */
  public CopiesFunction(Reader<I> reader, Outcome<I, O> outcome) {
    this.reader = reader;
    this.outcome = outcome;
  }

  @Override
  public void open(OpenContext context) {
    state = TimedValue.of(getRuntimeContext(), "heard", Heard.class, TimeDomain.EVENT_TIME);
    var metrics = getRuntimeContext().getMetricGroup();
    duplicateEvents = metrics.counter(DUPLICATE_EVENTS_TOTAL);
    evictedEntries = metrics.counter(KeyedRulesFunction.EVICTED_ENTRIES_TOTAL);
  }

  @Override
  public void processElement(I input, Context context, Collector<O> out) throws IOException {
    Arrival arrival = new Arrival(reader.eventOf(input), context.timestamp());
    Step<Heard, Verdict> step = rules.onInput(state.value(), arrival);
    for (Verdict verdict : step.decisions()) {
      duplicateEvents.inc(verdict.isCopy() ? 1 : 0);
      O passed = outcome.of(input, verdict);
      if (passed != null) {
        out.collect(passed);
      }
    }
    evictedEntries.inc(step.evicted());
    state.save(step, context.timerService());
  }

  @Override
  public void onTimer(long timestampMillis, OnTimerContext context, Collector<O> out)
      throws IOException {
    Heard due = state.due(timestampMillis);
    if (due != null) {
      state.save(rules.onTimer(due, Nanos.ofMillis(timestampMillis)), context.timerService());
    }
  }
}
