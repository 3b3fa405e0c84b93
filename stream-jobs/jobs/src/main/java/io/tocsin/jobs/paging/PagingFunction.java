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
 * Decides what Alertmanager is told when. It remembers each open alert as it was posted, and one
 * that is over for a day: while ClickHouse is away the alerts job restarts and repeats what it told
 * since its last checkpoint, and a life that is over must not page again.
 *
 * <p>Alertmanager knows an alert by its labels, and would page for the same alert again if they
 * changed. So an alert keeps the labels with which it opened; only a change of severity makes a new
 * one there, and then the old one is ended in the same breath.
 *
 * <p>This is the one place where the wall clock rules: Alertmanager expires by its own clock what
 * is not repeated to it.
 */
final class PagingFunction extends KeyedProcessFunction<String, Alert, Alert> {
  private static final long FORGET_AFTER_MILLIS = Duration.ofDays(1).toMillis();

  private final long resendIntervalMillis;
  private transient ValueState<Alert> postedAlert;

  /** The one timer of an alert: to post it again while it is open, to forget it when it is over. */
  private transient ValueState<Long> nextTimerMillis;

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
    nextTimerMillis =
        getRuntimeContext().getState(new ValueStateDescriptor<>("next-resend", Types.LONG));
  }

  @Override
  public void processElement(Alert alert, Context context, Collector<Alert> out)
      throws IOException {
    Alert posted = postedAlert.value();
    if (posted != null && isRepeated(posted, alert)) {
      return;
    }
    if (isOpen(alert)) {
      onOpen(posted, alert, context.timerService(), out);
    } else {
      onOver(posted, alert, context.timerService(), out);
    }
  }

  /**
   * The alerts job repeats transitions after a failure. The version alone does not tell: it counts
   * from 1 again when the alerts job has lost its state.
   */
  private static boolean isRepeated(Alert posted, Alert alert) {
    return alert.getVersion() <= posted.getVersion() && happenedAt(alert) <= happenedAt(posted);
  }

  private static long happenedAt(Alert alert) {
    return alert.hasResolvedAtUnixNanos()
        ? alert.getResolvedAtUnixNanos()
        : alert.getLastSeenUnixNanos();
  }

  private static boolean isOpen(Alert alert) {
    return alert.getState() == AlertState.ALERT_STATE_OPEN;
  }

  private void onOpen(Alert posted, Alert alert, TimerService timers, Collector<Alert> out)
      throws IOException {
    if (posted == null || !isOpen(posted)) {
      postedAlert.update(alert);
      out.collect(alert);
      setTimer(timers, resendIntervalMillis);
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
    Alert over =
        posted == null
            ? alert
            : alert.toBuilder()
                .setSeverity(posted.getSeverity())
                .clearLabels()
                .putAllLabels(posted.getLabelsMap())
                .build();
    postedAlert.update(over);
    out.collect(over);
    setTimer(timers, FORGET_AFTER_MILLIS);
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
    if (isOpen(posted)) {
      out.collect(posted);
      setTimer(context.timerService(), resendIntervalMillis);
    } else {
      postedAlert.clear();
      nextTimerMillis.clear();
    }
  }

  private void setTimer(TimerService timers, long delayMillis) throws IOException {
    if (nextTimerMillis.value() != null) {
      timers.deleteProcessingTimeTimer(nextTimerMillis.value());
    }
    long next = timers.currentProcessingTime() + delayMillis;
    nextTimerMillis.update(next);
    timers.registerProcessingTimeTimer(next);
  }
}
