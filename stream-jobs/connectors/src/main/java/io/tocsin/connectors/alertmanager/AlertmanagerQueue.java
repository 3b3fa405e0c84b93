package io.tocsin.connectors.alertmanager;

import io.tocsin.connectors.Backoff;
import io.tocsin.connectors.alertmanager.AlertmanagerClient.Answer;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one Alertmanager has not taken yet. Each has a queue of its own, with one post under way at
 * a time: what one of them does is nothing to the others.
 */
final class AlertmanagerQueue {
  /** Largest number of alerts in a request. */
  static final int MAX_ALERTS_PER_POST = 500;

  private static final Logger LOG = LoggerFactory.getLogger(AlertmanagerQueue.class);

  private final AlertmanagerClient client;
  private final Backoff backoff;
  private final long keepMillis;
  private final ProcessingTimeService time;
  private final MailboxExecutor mailbox;
  private final PostCounters counters;

  /** Newest news of each alert, by its labels. */
  private final Map<SortedMap<String, String>, Waiting> waiting = new LinkedHashMap<>();

  /** Smaller after a refusal, to find the alert that is meant by it. */
  private int batchLimit = MAX_ALERTS_PER_POST;

  private int failedAttempts;
  private boolean isPosting;
  private boolean isPausing;
  private boolean isRefusalLogged;

  private record Waiting(AlertmanagerAlert alert, long sinceMillis) {}

  /**
   * An empty queue.
   *
   * @param keep how long news wait: what is older Alertmanager has ended by itself, and an open
   *     alert has been written again since
   */
  AlertmanagerQueue(
      AlertmanagerClient client,
      Backoff backoff,
      Duration keep,
      ProcessingTimeService time,
      MailboxExecutor mailbox,
      PostCounters counters) {
    this.client = client;
    this.backoff = backoff;
    this.keepMillis = keep.toMillis();
    this.time = time;
    this.mailbox = mailbox;
    this.counters = counters;
  }

  void put(AlertmanagerAlert alert) {
    // Taken out first, so that the newest news of an alert also stands last.
    waiting.remove(alert.labels());
    waiting.put(alert.labels(), new Waiting(alert, time.getCurrentProcessingTime()));
  }

  int size() {
    return waiting.size();
  }

  boolean isPosting() {
    return isPosting;
  }

  /** Posts what waits, unless a post is under way or the pause after a failure lasts. */
  void post() {
    if (isPosting || isPausing) {
      return;
    }
    long now = time.getCurrentProcessingTime();
    long oldest = now - keepMillis;
    waiting.values().removeIf(news -> news.sinceMillis() < oldest);
    if (waiting.isEmpty()) {
      return;
    }
    List<Waiting> batch = waiting.values().stream().limit(batchLimit).toList();
    isPosting = true;
    client
        .post(batch.stream().map(news -> news.alert().postedAt(Instant.ofEpochMilli(now))).toList())
        .thenAccept(
            answer ->
                mailbox.execute(() -> onAnswer(batch, answer), "answer of %s", client.endpoint()));
  }

  private void onAnswer(List<Waiting> batch, Answer answer) {
    isPosting = false;
    switch (answer.outcome()) {
      case ACCEPTED -> {
        failedAttempts = 0;
        batchLimit = Math.min(MAX_ALERTS_PER_POST, batchLimit * 2);
        counters.posted().inc(batch.size());
        forget(batch);
        post();
      }
      case REFUSED -> {
        onRefused(batch, answer);
        post();
      }
      case FAILED -> onFailed(answer);
    }
  }

  /** What has been replaced by newer news meanwhile stays. */
  private void forget(List<Waiting> batch) {
    batch.forEach(news -> waiting.remove(news.alert().labels(), news));
  }

  private void onRefused(List<Waiting> batch, Answer answer) {
    failedAttempts = 0;
    if (batch.size() > 1) {
      batchLimit = batch.size() / 2;
      return;
    }
    counters.refused().inc();
    if (!isRefusalLogged) {
      isRefusalLogged = true;
      LOG.error(
          "alertmanager {} refused alert {}: {}; it is not paged there; counted as {}, logged once",
          client.endpoint(),
          batch.get(0).alert().labels(),
          answer.detail(),
          AlertmanagerSink.REFUSED_ALERTS_TOTAL);
    }
    forget(batch);
  }

  private void onFailed(Answer answer) {
    counters.failed().inc();
    failedAttempts++;
    if (failedAttempts == 1) {
      LOG.warn(
          "alertmanager {} did not take alerts: {}; counted as {}, logged once an outage",
          client.endpoint(),
          answer.detail(),
          AlertmanagerSink.FAILED_POSTS_TOTAL);
    }
    isPausing = true;
    time.registerTimer(
        time.getCurrentProcessingTime() + backoff.pauseMillis(failedAttempts),
        timestamp -> {
          isPausing = false;
          post();
        });
  }
}
