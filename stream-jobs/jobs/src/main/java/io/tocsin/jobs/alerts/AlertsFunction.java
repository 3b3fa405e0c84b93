package io.tocsin.jobs.alerts;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.Signal;
import io.tocsin.correlation.alerts.AlertRules;
import io.tocsin.correlation.alerts.AlertTiming;
import io.tocsin.correlation.alerts.Step;
import io.tocsin.correlation.alerts.TrackedAlert;
import java.io.IOException;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.TimerService;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Loads what is known of a fingerprint, asks {@link AlertRules}, saves the answer. No rule stands
 * here.
 *
 * <p>An alert that is over is forgotten by a timer of the rules, {@link AlertTiming#forgetAfter}
 * after the last that was heard of it; so there is no TTL.
 */
final class AlertsFunction extends KeyedProcessFunction<String, Signal, Alert> {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final AlertTiming timing;
  private transient AlertRules rules;
  private transient ValueState<TrackedAlert> trackedAlert;

  AlertsFunction(AlertTiming timing) {
    this.timing = timing;
  }

  @Override
  public void open(OpenContext context) {
    rules = new AlertRules(timing);
    trackedAlert =
        getRuntimeContext()
            .getState(
                new ValueStateDescriptor<>(
                    "tracked-alert", TypeInformation.of(TrackedAlert.class)));
  }

  @Override
  public void processElement(Signal signal, Context context, Collector<Alert> out)
      throws IOException {
    follow(rules.onSignal(trackedAlert.value(), signal), context.timerService(), out);
  }

  @Override
  public void onTimer(long timestampMillis, OnTimerContext context, Collector<Alert> out)
      throws IOException {
    Step step = rules.onTimer(trackedAlert.value(), timestampMillis * NANOS_PER_MILLI);
    follow(step, context.timerService(), out);
  }

  private void follow(Step step, TimerService timers, Collector<Alert> out) throws IOException {
    trackedAlert.update(step.state());
    step.decision().ifPresent(out::collect);
    // Rounded up, so that the timer is not early.
    step.nextTimerUnixNanos()
        .ifPresent(nanos -> timers.registerEventTimeTimer(-Math.floorDiv(-nanos, NANOS_PER_MILLI)));
  }
}
