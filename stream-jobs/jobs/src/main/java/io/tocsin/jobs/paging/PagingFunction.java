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
 * Decides what Alertmanager is told when. It remembers each active alert as it was posted, and one
 * that is over for a day: while ClickHouse is away the alerts job restarts and repeats what it told
 * since its last checkpoint, and a life that is over must not page again.
 *
 * <p>An alert that is suppressed is not posted; one that becomes so is ended there, since what
 * explains it is paged in its place. When it is suppressed no more it is posted like a new one,
 * with the label {@link #OUTLIVED}: Alertmanager tells news of a group that has been told only
 * after group_interval, and what outlived its reason is to be told at once, so it needs a group of
 * its own. An alert that flaps is posted as active all the time.
 *
 * <p>Alertmanager knows an alert by its labels, and would page for the same alert again if they
 * changed. So an alert keeps the labels with which it opened; only a change of severity makes a new
 * one there, and then the old one is ended in the same breath.
 *
 * <p>This is the one place where the wall clock rules: Alertmanager expires by its own clock what
 * is not repeated to it.
 */
final class PagingFunction extends KeyedProcessFunction<String, Alert, Alert> {
  /**
   * Label of an alert that was suppressed and is still there: {@code storm}, {@code dependency} or
   * {@code maintenance}. Routes group by it.
   */
  static final String OUTLIVED = "outlived";

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
    if (pages(alert)) {
      onActive(posted, alert, context.timerService(), out);
    } else if (isSuppressed(alert)) {
      onSuppressed(posted, alert, context.timerService(), out);
    } else {
      onOver(posted, alert, context.timerService(), out);
    }
  }

  /** The alerts job repeats transitions after a failure. */
  private static boolean isRepeated(Alert posted, Alert alert) {
    return alert.getVersion() <= posted.getVersion();
  }

  private static boolean pages(Alert alert) {
    return alert.getState() == AlertState.ALERT_STATE_OPEN
        || alert.getState() == AlertState.ALERT_STATE_FLAPPING;
  }

  private void onActive(Alert posted, Alert alert, TimerService timers, Collector<Alert> out)
      throws IOException {
    if (posted == null || !pages(posted)) {
      Alert news = isSuppressed(posted) ? outliving(posted, alert) : alert;
      postedAlert.update(news);
      out.collect(news);
      setTimer(timers, resendIntervalMillis);
      return;
    }
    Alert now = withLabelsOf(posted, alert).build();
    postedAlert.update(now);
    if (now.getSeverity() != posted.getSeverity()) {
      out.collect(endedBy(now, posted));
      out.collect(now);
    } else if (alert.getTransition() == AlertTransition.ALERT_TRANSITION_MEMBERS_CHANGED) {
      out.collect(now);
    }
  }

  private static boolean isSuppressed(Alert alert) {
    return alert != null && alert.getState() == AlertState.ALERT_STATE_SUPPRESSED;
  }

  /** What was suppressed and is active, labelled with the kind of its last cause. */
  private static Alert outliving(Alert suppressed, Alert alert) {
    String kind = suppressed.getCause().split(":", 2)[0];
    return kind.isEmpty() ? alert : alert.toBuilder().putLabels(OUTLIVED, kind).build();
  }

  private void onSuppressed(Alert posted, Alert alert, TimerService timers, Collector<Alert> out)
      throws IOException {
    postedAlert.update(alert);
    clearTimer(timers);
    if (posted != null && pages(posted)) {
      out.collect(endedBy(alert, posted).toBuilder().setCause(alert.getCause()).build());
    }
  }

  private void onOver(Alert posted, Alert alert, TimerService timers, Collector<Alert> out)
      throws IOException {
    boolean isPosted = posted == null || pages(posted);
    Alert over =
        posted == null || !pages(posted)
            ? alert
            : withLabelsOf(posted, alert).setSeverity(posted.getSeverity()).build();
    postedAlert.update(over);
    if (isPosted) {
      out.collect(over);
    }
    setTimer(timers, FORGET_AFTER_MILLIS);
  }

  private static Alert.Builder withLabelsOf(Alert posted, Alert alert) {
    return alert.toBuilder().clearLabels().putAllLabels(posted.getLabelsMap());
  }

  /** The alert as Alertmanager knows it, over at the time of the transition that changed it. */
  private static Alert endedBy(Alert successor, Alert posted) {
    return posted.toBuilder()
        .setState(AlertState.ALERT_STATE_RESOLVED)
        .setTransition(AlertTransition.ALERT_TRANSITION_RESOLVED)
        .setResolvedAtUnixNanos(Math.max(posted.getFirstSeenUnixNanos(), successor.getVersion()))
        .build();
  }

  @Override
  public void onTimer(long timestampMillis, OnTimerContext context, Collector<Alert> out)
      throws IOException {
    Alert posted = postedAlert.value();
    if (posted != null && pages(posted)) {
      out.collect(posted);
      setTimer(context.timerService(), resendIntervalMillis);
    } else {
      postedAlert.clear();
      nextTimerMillis.clear();
    }
  }

  private void clearTimer(TimerService timers) throws IOException {
    if (nextTimerMillis.value() != null) {
      timers.deleteProcessingTimeTimer(nextTimerMillis.value());
      nextTimerMillis.clear();
    }
  }

  private void setTimer(TimerService timers, long delayMillis) throws IOException {
    clearTimer(timers);
    long next = timers.currentProcessingTime() + delayMillis;
    nextTimerMillis.update(next);
    timers.registerProcessingTimeTimer(next);
  }
}
