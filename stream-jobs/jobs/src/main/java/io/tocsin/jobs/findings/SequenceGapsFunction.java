package io.tocsin.jobs.findings;

import io.tocsin.correlation.findings.Answer;
import io.tocsin.correlation.findings.SequenceGapRules;
import io.tocsin.correlation.findings.SequenceGaps;
import io.tocsin.events.v1.Event;
import java.util.function.Supplier;
import org.apache.flink.streaming.api.TimerService;

/** {@link SequenceGapRules} by device. */
final class SequenceGapsFunction extends FindingFunction<SequenceGaps> {
  SequenceGapsFunction() {
    super("sequence-gaps", SequenceGaps.class);
  }

  @Override
  Supplier<SequenceGaps> nothing() {
    return SequenceGaps::new;
  }

  @Override
  Answer onEvent(SequenceGaps state, Event event, TimerService timers) {
    return new SequenceGapRules().onGap(state, event);
  }

  @Override
  Answer onTimer(SequenceGaps state, String device, long nowUnixNanos) {
    return new SequenceGapRules().onTimer(state, device, nowUnixNanos);
  }

  @Override
  boolean isOver(SequenceGaps state, long nowUnixNanos) {
    return SequenceGapRules.isQuiet(state, nowUnixNanos);
  }
}
