package io.tocsin.jobs.findings;

import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import io.tocsin.correlation.findings.AgentSilentRules;
import io.tocsin.correlation.findings.AgentState;
import io.tocsin.events.v1.Event;
import io.tocsin.jobs.TimedValue;
import java.io.IOException;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.streaming.api.TimeDomain;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/** {@link AgentSilentRules} by agent, on this job's clock. */
final class AgentsFunction extends KeyedProcessFunction<String, Event, Event> {
  private final AgentSilentRules rules;
  private transient TimedValue<AgentState> state;
  private transient long startedUnixNanos;

  AgentsFunction(AgentSilentRules rules) {
    this.rules = rules;
  }

  @Override
  public void open(OpenContext context) {
    state =
        TimedValue.of(getRuntimeContext(), "agent", AgentState.class, TimeDomain.PROCESSING_TIME);
    // Timers of before a restart are due at once, and nothing could be read meanwhile.
    startedUnixNanos = Nanos.ofMillis(System.currentTimeMillis());
  }

  @Override
  public void processElement(Event event, Context context, Collector<Event> out)
      throws IOException {
    long now = Nanos.ofMillis(context.timerService().currentProcessingTime());
    follow(rules.onHeartbeat(state.value(), event, startedUnixNanos, now), context, out);
  }

  @Override
  public void onTimer(long timestampMillis, OnTimerContext context, Collector<Event> out)
      throws IOException {
    AgentState due = state.due(timestampMillis);
    if (due != null) {
      long now = Nanos.ofMillis(timestampMillis);
      follow(rules.onTimer(due, startedUnixNanos, now), context, out);
    }
  }

  private void follow(Step<AgentState, Event> step, Context context, Collector<Event> out)
      throws IOException {
    step.decisions().forEach(out::collect);
    state.save(step, context.timerService());
  }
}
