package io.tocsin.connectors.alertmanager;

import io.tocsin.alerts.v1.Alert;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.metrics.MetricGroup;

/** Gathers alerts for a moment and posts them. See {@link AlertmanagerSink}. */
final class AlertmanagerWriter implements SinkWriter<Alert> {
  /**
   * Long enough to gather a burst into one request. What comes while a post is under way is
   * gathered anyway, so a longer wait would spare little.
   */
  static final long GATHER_MILLIS = 20;

  private final List<AlertmanagerQueue> queues;
  private final Duration resendInterval;
  private final PageLinks links;
  private final ProcessingTimeService time;
  private final MailboxExecutor mailbox;
  private boolean isGathering;

  AlertmanagerWriter(
      List<AlertmanagerQueue> queues,
      Duration resendInterval,
      PageLinks links,
      ProcessingTimeService time,
      MailboxExecutor mailbox,
      MetricGroup metrics) {
    this.queues = List.copyOf(queues);
    this.resendInterval = resendInterval;
    this.links = links;
    this.time = time;
    this.mailbox = mailbox;
    metrics.gauge(
        AlertmanagerSink.PENDING_ALERTS,
        () -> this.queues.stream().mapToInt(AlertmanagerQueue::size).max().orElse(0));
  }

  @Override
  public void write(Alert alert, Context context) {
    Instant now = Instant.ofEpochMilli(time.getCurrentProcessingTime());
    AlertmanagerAlert postable = AlertmanagerAlert.of(alert, now, resendInterval, links);
    queues.forEach(queue -> queue.put(postable));
    if (!isGathering) {
      isGathering = true;
      time.registerTimer(now.toEpochMilli() + GATHER_MILLIS, timestamp -> onGathered());
    }
  }

  private void onGathered() {
    isGathering = false;
    queues.forEach(AlertmanagerQueue::post);
  }

  boolean isPosting() {
    return queues.stream().anyMatch(AlertmanagerQueue::isPosting);
  }

  /**
   * Nothing at a checkpoint: it keeps nothing of the posts, and an outage of Alertmanager must not
   * hold it up. At the end of the input everything is posted once.
   */
  @Override
  public void flush(boolean isEndOfInput) throws InterruptedException {
    if (isEndOfInput) {
      onGathered();
      while (isPosting()) {
        mailbox.yield();
      }
    }
  }

  @Override
  public void close() {
    // java.net.http's client has no close on JDK 17; its threads end when nobody refers to it.
  }
}
