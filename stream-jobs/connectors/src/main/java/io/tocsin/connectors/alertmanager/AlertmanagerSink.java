package io.tocsin.connectors.alertmanager;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.connectors.Backoff;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;

/**
 * Tells alerts to Alertmanager, which groups, silences, inhibits and notifies.
 *
 * <p><b>Promise.</b> Each alert is posted within about a tenth of a second to every configured
 * Alertmanager: the instances of a cluster tell each other what they notified, not what they
 * received. Each has its own queue and its own growing pauses after failures, so one that is away
 * or refuses holds up no other. Posting is idempotent. Nothing here is kept in a checkpoint: what
 * waits when the job dies is posted again by the job's timers if it is open. If it was the end of
 * an alert, and Alertmanager was away just then, Alertmanager ends the alert by itself after four
 * resend intervals of silence.
 *
 * <p><b>Memory.</b> During an outage the newest news of each alert waits, for four resend intervals
 * at most.
 *
 * <p><b>Refusals.</b> A post that is refused (4xx but 408 and 429) is repeated in halves until the
 * alert is found that is meant by it. That one is counted and dropped: it would be refused again.
 */
public final class AlertmanagerSink implements Sink<Alert> {
  /** Counter: alerts that an Alertmanager accepted, once for each of them. */
  public static final String POSTED_ALERTS_TOTAL = "alertmanager_posted_alerts_total";

  /** Counter: alerts that an Alertmanager refused, once for each of them. */
  public static final String REFUSED_ALERTS_TOTAL = "alertmanager_refused_alerts_total";

  /** Counter: posts that one Alertmanager did not take, by 5xx or by silence. */
  public static final String FAILED_POSTS_TOTAL = "alertmanager_failed_posts_total";

  /** Gauge: alerts that wait for the Alertmanager that is furthest behind. */
  public static final String PENDING_ALERTS = "alertmanager_pending_alerts";

  private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(15);

  private final List<String> urls;
  private final Duration resendInterval;
  private final PageLinks links;

  /**
   * A sink.
   *
   * @param urls of every Alertmanager of the cluster
   * @param resendInterval how often the job repeats an open alert
   * @param links where a page leads
   */
  public AlertmanagerSink(List<String> urls, Duration resendInterval, PageLinks links) {
    if (urls.isEmpty()) {
      throw new IllegalArgumentException("no Alertmanager is configured: give at least one URL");
    }
    this.urls = List.copyOf(urls);
    this.resendInterval = resendInterval;
    this.links = links;
  }

  @Override
  public SinkWriter<Alert> createWriter(WriterInitContext context) {
    PostCounters counters = PostCounters.in(context.metricGroup());
    List<AlertmanagerQueue> queues =
        urls.stream()
            .map(
                url ->
                    new AlertmanagerQueue(
                        new AlertmanagerClient(url),
                        new Backoff(FIRST_PAUSE, LONGEST_PAUSE, new Random()),
                        resendInterval.multipliedBy(AlertmanagerAlert.INTERVALS_UNTIL_EXPIRY),
                        context.getProcessingTimeService(),
                        context.getMailboxExecutor(),
                        counters))
            .toList();
    return new AlertmanagerWriter(
        queues,
        resendInterval,
        links,
        context.getProcessingTimeService(),
        context.getMailboxExecutor(),
        context.metricGroup());
  }
}
