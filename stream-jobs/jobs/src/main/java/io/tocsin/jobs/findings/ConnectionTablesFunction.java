package io.tocsin.jobs.findings;

import io.tocsin.correlation.findings.Answer;
import io.tocsin.correlation.findings.ConnectionLimitRules;
import io.tocsin.correlation.findings.ConnectionTable;
import io.tocsin.events.v1.Event;
import java.util.function.Supplier;
import org.apache.flink.streaming.api.TimerService;

/** {@link ConnectionLimitRules} by device. */
final class ConnectionTablesFunction extends FindingFunction<ConnectionTable> {
  private final ConnectionLimitRules rules;

  ConnectionTablesFunction(ConnectionLimitRules rules) {
    super("connection-table", ConnectionTable.class);
    this.rules = rules;
  }

  @Override
  Supplier<ConnectionTable> nothing() {
    return ConnectionTable::new;
  }

  @Override
  Answer onEvent(ConnectionTable state, Event event, TimerService timers) {
    return rules.onEvent(state, event);
  }

  @Override
  Answer onTimer(ConnectionTable state, String device, long nowUnixNanos) {
    return rules.onTimer(state, device, nowUnixNanos);
  }

  @Override
  boolean isOver(ConnectionTable state, long nowUnixNanos) {
    return rules.isForgotten(state, nowUnixNanos);
  }
}
