package io.tocsin.connectors.alertmanager;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.connectors.Backoff;
import io.tocsin.connectors.alertmanager.AlertmanagerClient.Answer;
import io.tocsin.connectors.alertmanager.AlertmanagerClient.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gathers alerts for a moment and posts them. See {@link AlertmanagerSink}. */
final class AlertmanagerWriter implements SinkWriter<Alert> {
  /** Long enough to gather a burst into one request, too short for a person to notice. */
  static final long GATHER_MILLIS = 100;

  /** Largest number of alerts in a request. */
  static final int MAX_ALERTS_PER_POST = 500;

  private static final Logger LOG = LoggerFactory.getLogger(AlertmanagerWriter.class);

  private final AlertmanagerClient client;
  private final Backoff backoff;
  private final Duration resendInterval;
  private final ProcessingTimeService time;
  private final Counter postedAlerts;
  private final Counter refusedAlerts;
  private final Counter failedPosts;

  /**
   * Newest news of each alert that no Alertmanager has accepted yet, by its labels: at most as many
   * as there are alerts.
   */
  private final Map<SortedMap<String, String>, AlertmanagerAlert> pending = new LinkedHashMap<>();

  private int failedAttempts;
  private boolean isTimerSet;
  private boolean isRefusalLogged;

  AlertmanagerWriter(
      AlertmanagerClient client,
      Backoff backoff,
      Duration resendInterval,
      ProcessingTimeService time,
      MetricGroup metrics) {
    this.client = client;
    this.backoff = backoff;
    this.resendInterval = resendInterval;
    this.time = time;
    this.postedAlerts = metrics.counter(AlertmanagerSink.POSTED_ALERTS_TOTAL);
    this.refusedAlerts = metrics.counter(AlertmanagerSink.REFUSED_ALERTS_TOTAL);
    this.failedPosts = metrics.counter(AlertmanagerSink.FAILED_POSTS_TOTAL);
    metrics.gauge(AlertmanagerSink.PENDING_ALERTS, pending::size);
  }

  @Override
  public void write(Alert alert, Context context) {
    Instant now = Instant.ofEpochMilli(time.getCurrentProcessingTime());
    AlertmanagerAlert postable = AlertmanagerAlert.of(alert, now, resendInterval);
    // Taken out first, so that the newest news of an alert also stands last.
    pending.remove(postable.labels());
    pending.put(postable.labels(), postable);
    setTimer(GATHER_MILLIS);
  }

  private void setTimer(long delayMillis) {
    if (!isTimerSet) {
      time.registerTimer(time.getCurrentProcessingTime() + delayMillis, timestamp -> onTimer());
      isTimerSet = true;
    }
  }

  private void onTimer() {
    isTimerSet = false;
    post();
    if (!pending.isEmpty()) {
      setTimer(backoff.pauseMillis(Math.max(1, failedAttempts)));
    }
  }

  private void post() {
    while (!pending.isEmpty()) {
      List<AlertmanagerAlert> batch = pending.values().stream().limit(MAX_ALERTS_PER_POST).toList();
      if (!isDone(batch, client.post(batch))) {
        failedAttempts++;
        return;
      }
      failedAttempts = 0;
      batch.forEach(alert -> pending.remove(alert.labels()));
    }
  }

  /**
   * One Alertmanager that has the alerts is enough; when all that answered refuse, repeating would
   * not help.
   */
  private boolean isDone(List<AlertmanagerAlert> batch, List<Answer> answers) {
    answers.stream().filter(answer -> answer.outcome() == Outcome.FAILED).forEach(this::failed);
    answers.stream().filter(answer -> answer.outcome() == Outcome.REFUSED).forEach(this::refused);
    if (answers.stream().anyMatch(answer -> answer.outcome() == Outcome.ACCEPTED)) {
      postedAlerts.inc(batch.size());
      return true;
    }
    if (answers.stream().allMatch(answer -> answer.outcome() == Outcome.REFUSED)) {
      refusedAlerts.inc(batch.size());
      return true;
    }
    return false;
  }

  private void failed(Answer answer) {
    failedPosts.inc();
    if (failedAttempts == 0) {
      LOG.warn(
          "alertmanager {} did not take alerts: {}; counted as {}, logged once an outage",
          answer.endpoint(),
          answer.detail(),
          AlertmanagerSink.FAILED_POSTS_TOTAL);
    }
  }

  private void refused(Answer answer) {
    if (!isRefusalLogged) {
      LOG.error(
          "alertmanager {} refused alerts: {}; they are not paged; counted as {}, logged once",
          answer.endpoint(),
          answer.detail(),
          AlertmanagerSink.REFUSED_ALERTS_TOTAL);
      isRefusalLogged = true;
    }
  }

  /**
   * Tries once at a checkpoint and at the end; an outage of Alertmanager must not hold up the
   * stream.
   */
  @Override
  public void flush(boolean isEndOfInput) {
    post();
  }

  @Override
  public void close() {
    // java.net.http's client has no close on JDK 17; its threads end when nobody refers to it.
  }
}
