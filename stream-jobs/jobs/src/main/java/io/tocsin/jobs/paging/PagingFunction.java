package io.tocsin.jobs.paging;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.AlertTransition;
import io.tocsin.model.ProtobufTypeInfo;
import java.io.IOException;
import java.time.Duration;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.TimerService;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Decides what Alertmanager is told when. It remembers each open alert as it was posted, and
 * nothing of one that is over.
 *
 * <p>Alertmanager knows an alert by its labels, and would page for the same alert again if they
 * changed. So an alert keeps the labels with which it opened; only a change of severity makes a new
 * one there, and then the old one is ended in the same breath.
 *
 * <p>This is the one place where the wall clock rules: Alertmanager expires by its own clock what
 * is not repeated to it.
 */
final class PagingFunction extends KeyedProcessFunction<String, Alert, Alert> {
  private final long resendIntervalMillis;
  private transient ValueState<Alert> postedAlert;
  private transient ValueState<Long> nextResendMillis;

  PagingFunction(Duration resendInterval) {
    this.resendIntervalMillis = resendInterval.toMillis();
  }

  @Override
  public void open(OpenContext context) {
    postedAlert =
        getRuntimeContext()
            .getState(
                new ValueStateDescriptor<>(
                    "posted-alert", ProtobufTypeInfo.forMessage(Alert.class)));
    nextResendMillis =
        getRuntimeContext().getState(new ValueStateDescriptor<>("next-resend", Types.LONG));
  }

  @Override
  public void processElement(Alert alert, Context context, Collector<Alert> out)
      throws IOException {
    Alert posted = postedAlert.value();
    if (posted != null && alert.getVersion() <= posted.getVersion()) {
      return; // The alerts job repeats transitions after a failure.
    }
    if (alert.getState() == AlertState.ALERT_STATE_OPEN) {
      onOpen(posted, alert, context.timerService(), out);
    } else {
      onOver(posted, alert, context.timerService(), out);
    }
  }

  private void onOpen(Alert posted, Alert alert, TimerService timers, Collector<Alert> out)
      throws IOException {
    if (posted == null) {
      postedAlert.update(alert);
      out.collect(alert);
      resendLater(timers);
      return;
    }
    Alert now = alert.toBuilder().clearLabels().putAllLabels(posted.getLabelsMap()).build();
    postedAlert.update(now);
    if (now.getSeverity() != posted.getSeverity()) {
      out.collect(endedBy(now, posted));
      out.collect(now);
    }
  }

  private void onOver(Alert posted, Alert alert, TimerService timers, Collector<Alert> out)
      throws IOException {
    if (posted == null) {
      out.collect(alert);
      return;
    }
    out.collect(
        alert.toBuilder()
            .setSeverity(posted.getSeverity())
            .clearLabels()
            .putAllLabels(posted.getLabelsMap())
            .build());
    timers.deleteProcessingTimeTimer(nextResendMillis.value());
    postedAlert.clear();
    nextResendMillis.clear();
  }

  /** The alert as Alertmanager knows it, over at the time of the update that changed it. */
  private static Alert endedBy(Alert successor, Alert posted) {
    return posted.toBuilder()
        .setState(AlertState.ALERT_STATE_RESOLVED)
        .setTransition(AlertTransition.ALERT_TRANSITION_RESOLVED)
        .setResolvedAtUnixNanos(successor.getLastSeenUnixNanos())
        .build();
  }

  @Override
  public void onTimer(long timestampMillis, OnTimerContext context, Collector<Alert> out)
      throws IOException {
    Alert posted = postedAlert.value();
    if (posted != null) {
      out.collect(posted);
      resendLater(context.timerService());
    }
  }

  private void resendLater(TimerService timers) throws IOException {
    long next = timers.currentProcessingTime() + resendIntervalMillis;
    nextResendMillis.update(next);
    timers.registerProcessingTimeTimer(next);
  }
}
