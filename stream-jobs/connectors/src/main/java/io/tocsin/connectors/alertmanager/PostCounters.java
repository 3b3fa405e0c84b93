package io.tocsin.connectors.alertmanager;

import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;

/** What became of posts, over all Alertmanagers. */
record PostCounters(Counter posted, Counter refused, Counter failed) {
  static PostCounters in(MetricGroup metrics) {
    return new PostCounters(
        metrics.counter(AlertmanagerSink.POSTED_ALERTS_TOTAL),
        metrics.counter(AlertmanagerSink.REFUSED_ALERTS_TOTAL),
        metrics.counter(AlertmanagerSink.FAILED_POSTS_TOTAL));
  }
}
