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
 * Alertmanager, and again with growing pauses until at least one has accepted it. Posting is
 * idempotent. Nothing here is kept in a checkpoint: what waits when the job dies is posted again by
 * the job's timers if it is open. If it was the end of an alert, and Alertmanager was away just
 * then, Alertmanager ends the alert by itself after four resend intervals of silence.
 *
 * <p><b>Memory.</b> During an outage the newest news of each alert waits, so there are never more
 * than there are alerts.
 *
 * <p><b>Refusals.</b> A post that every Alertmanager refuses (4xx but 408 and 429) is counted and
 * dropped: it would be refused again.
 */
public final class AlertmanagerSink implements Sink<Alert> {
  /** Counter: alerts that at least one Alertmanager accepted. */
  public static final String POSTED_ALERTS_TOTAL = "alertmanager_posted_alerts_total";

  /** Counter: alerts that every Alertmanager refused. */
  public static final String REFUSED_ALERTS_TOTAL = "alertmanager_refused_alerts_total";

  /** Counter: posts that one Alertmanager did not take, by 5xx or by silence. */
  public static final String FAILED_POSTS_TOTAL = "alertmanager_failed_posts_total";

  /** Gauge: alerts that wait for an Alertmanager. */
  public static final String PENDING_ALERTS = "alertmanager_pending_alerts";

  private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(15);

  private final List<String> urls;
  private final Duration resendInterval;

  /**
   * A sink.
   *
   * @param urls of every Alertmanager of the cluster
   * @param resendInterval how often the job repeats an open alert
   */
  public AlertmanagerSink(List<String> urls, Duration resendInterval) {
    this.urls = List.copyOf(urls);
    this.resendInterval = resendInterval;
  }

  @Override
  public SinkWriter<Alert> createWriter(WriterInitContext context) {
    return new AlertmanagerWriter(
        new AlertmanagerClient(urls),
        new Backoff(FIRST_PAUSE, LONGEST_PAUSE, new Random()),
        resendInterval,
        context.getProcessingTimeService(),
        context.metricGroup());
  }
}
