package io.tocsin.jobs.findings;

import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.findings.ClockReading;
import io.tocsin.correlation.findings.ClockRules;
import io.tocsin.events.v1.Event;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;

/** What events say about clocks that are wrong, by the broker's time of each record. */
final class ClockReadingsFunction extends ProcessFunction<Event, ClockReading> {
  private final ClockRules rules;

  ClockReadingsFunction(ClockRules rules) {
    this.rules = rules;
  }

  @Override
  public void processElement(Event event, Context context, Collector<ClockReading> out) {
    rules.reading(event, Nanos.ofMillis(context.timestamp())).ifPresent(out::collect);
  }
}
