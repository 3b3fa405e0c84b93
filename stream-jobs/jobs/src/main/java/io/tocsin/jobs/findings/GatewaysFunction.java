package io.tocsin.jobs.findings;

import io.tocsin.correlation.findings.Answer;
import io.tocsin.correlation.findings.GatewayClaim;
import io.tocsin.correlation.findings.GatewayGroup;
import io.tocsin.correlation.findings.GatewayRules;
import io.tocsin.events.v1.Event;
import java.util.function.Supplier;
import org.apache.flink.streaming.api.TimerService;

/** {@link GatewayRules} by site and group. */
final class GatewaysFunction extends FindingFunction<GatewayGroup> {
  private transient GatewayRules rules;

  GatewaysFunction() {
    super("gateway-group", GatewayGroup.class);
  }

  private GatewayRules rules() {
    rules = rules == null ? new GatewayRules() : rules;
    return rules;
  }

  @Override
  Supplier<GatewayGroup> nothing() {
    return GatewayGroup::new;
  }

  @Override
  Answer onEvent(GatewayGroup state, Event event, TimerService timers) {
    return rules().onClaim(state, GatewayClaim.of(event).orElseThrow());
  }

  @Override
  Answer onTimer(GatewayGroup state, String key, long nowUnixNanos) {
    return rules().onTimer(state, nowUnixNanos);
  }

  @Override
  boolean isOver(GatewayGroup state, long nowUnixNanos) {
    return false;
  }
}
