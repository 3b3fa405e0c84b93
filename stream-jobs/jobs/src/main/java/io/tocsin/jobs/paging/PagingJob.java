package io.tocsin.jobs.paging;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.connectors.alertmanager.AlertmanagerSink;
import io.tocsin.connectors.kafka.KafkaEndpoints;
import io.tocsin.jobs.Buffering;
import io.tocsin.jobs.JobRunner;
import io.tocsin.jobs.Restart;
import io.tocsin.model.ProtobufTypeInfo;
import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Keeps Alertmanager informed: topic {@code alerts-v1} to its API, at once when something changes
 * and again every resend interval while an alert is open. Started without state it reads the
 * compacted topic from the beginning and tells Alertmanager what it knows already, which is
 * harmless.
 */
public final class PagingJob {
  /** Name of the job and of its consumer group. */
  public static final String NAME = "tocsin-paging";

  private PagingJob() {}

  /** Runs the job with the options of {@link PagingOptions}. */
  public static void main(String[] args) throws Exception {
    JobRunner.run(NAME, new PagingOptions(), PagingJob::configure, args);
  }

  /** Builds the job's graph against the Kafka and the Alertmanagers of the options. */
  public static void configure(StreamExecutionEnvironment env, PagingOptions options) {
    KafkaEndpoints kafka =
        JobRunner.prepare(env, options, Buffering.LOW_LATENCY, Restart.PAGES_FIRST);
    define(
        env,
        options.resendInterval(),
        kafka.alerts(NAME),
        new AlertmanagerSink(
            options.alertmanagerUrls(), options.resendInterval(), options.pageLinks()));
  }

  /**
   * Builds the job's graph.
   *
   * @param resendInterval wall-clock time between two posts of an open alert
   * @param alerts transitions, in order for each fingerprint
   * @param pager takes what is to be posted
   */
  public static void define(
      StreamExecutionEnvironment env,
      Duration resendInterval,
      Source<Alert, ?, ?> alerts,
      Sink<Alert> pager) {
    env.fromSource(alerts, WatermarkStrategy.noWatermarks(), "alerts")
        .uid("paging-alerts-source")
        .keyBy(Alert::getFingerprint, Types.STRING)
        .process(new PagingFunction(resendInterval))
        .returns(ProtobufTypeInfo.forMessage(Alert.class))
        .name("resend open alerts")
        .uid("paging-resend")
        .sinkTo(pager)
        .name("alertmanager")
        .uid("paging-alertmanager-sink");
  }
}
