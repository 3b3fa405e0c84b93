package io.tocsin.jobs.findings;

import io.tocsin.correlation.findings.AgentSilentRules;
import io.tocsin.correlation.findings.Answer;
import io.tocsin.correlation.findings.HeardAgent;
import io.tocsin.events.v1.Event;
import java.util.function.Supplier;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.streaming.api.TimerService;

/** {@link AgentSilentRules} by agent, on this job's clock. */
final class AgentsFunction extends FindingFunction<HeardAgent> {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private transient long listeningSinceUnixNanos;

  AgentsFunction() {
    super("heard-agent", HeardAgent.class);
  }

  @Override
  public void open(OpenContext context) {
    super.open(context);
    // Timers of before a restart are due at once, and nobody could be heard meanwhile.
    listeningSinceUnixNanos = System.currentTimeMillis() * NANOS_PER_MILLI;
  }

  @Override
  Supplier<HeardAgent> nothing() {
    return HeardAgent::new;
  }

  @Override
  Answer onEvent(HeardAgent state, Event event, TimerService timers) {
    long now = timers.currentProcessingTime() * NANOS_PER_MILLI;
    return new AgentSilentRules().onHeartbeat(state, event, now);
  }

  @Override
  Answer onTimer(HeardAgent state, String agentId, long nowUnixNanos) {
    return new AgentSilentRules().onTimer(state, agentId, listeningSinceUnixNanos, nowUnixNanos);
  }

  @Override
  boolean isOver(HeardAgent state, long nowUnixNanos) {
    return false;
  }

  @Override
  void setTimer(TimerService timers, long millis) {
    timers.registerProcessingTimeTimer(millis);
  }

  @Override
  void deleteTimer(TimerService timers, long millis) {
    timers.deleteProcessingTimeTimer(millis);
  }
}
