package io.tocsin.connectors.alertmanager;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.connectors.Backoff;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.flink.metrics.testutils.MetricListener;
import org.apache.flink.streaming.runtime.tasks.TestProcessingTimeService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against small HTTP servers that answer as told; time is virtual. */
class AlertmanagerWriterTest {
  private static final long LONGEST_PAUSE_MILLIS = 15_000;

  private final MetricListener metrics = new MetricListener();
  private final TestProcessingTimeService time = new TestProcessingTimeService();
  private FakeAlertmanager first;
  private FakeAlertmanager second;
  private AlertmanagerWriter writer;

  @BeforeEach
  void start() throws Exception {
    first = new FakeAlertmanager();
    second = new FakeAlertmanager();
    time.setCurrentTime(NOON.toEpochMilli());
    writer =
        new AlertmanagerWriter(
            new AlertmanagerClient(List.of(first.url(), second.url() + "/")),
            new Backoff(
                Duration.ofMillis(500), Duration.ofMillis(LONGEST_PAUSE_MILLIS), new Random(1)),
            Duration.ofSeconds(60),
            time,
            metrics.getMetricGroup());
  }

  @AfterEach
  void stop() {
    first.server.stop(0);
    second.server.stop(0);
  }

  @Test
  void burstIsOnePostToEveryAlertmanager() throws Exception {
    writer.write(open("f1"), null);
    writer.write(open("f2"), null);
    assertThat(first.posts).isEmpty();

    passMillis(AlertmanagerWriter.GATHER_MILLIS);

    assertThat(first.posts).hasSize(1);
    assertThat(second.posts).isEqualTo(first.posts);
    JsonNode alerts = new ObjectMapper().readTree(first.posts.get(0));
    assertThat(alerts).hasSize(2);
    assertThat(alerts.at("/0/labels/fingerprint").asText()).isEqualTo("f1");
    assertThat(alerts.at("/0/startsAt").asText()).isEqualTo("2026-11-20T12:00:00Z");
    assertThat(counter(AlertmanagerSink.POSTED_ALERTS_TOTAL)).isEqualTo(2);
    assertThat(counter(AlertmanagerSink.FAILED_POSTS_TOTAL)).isZero();
    assertThat(counter(AlertmanagerSink.REFUSED_ALERTS_TOTAL)).isZero();
    assertThat(pending()).isZero();
  }

  @Test
  void onlyTheNewestNewsOfAnAlertIsPosted() throws Exception {
    writer.write(open("f1"), null);
    writer.write(open("f1").toBuilder().setSummary("newer").build(), null);

    passMillis(AlertmanagerWriter.GATHER_MILLIS);

    JsonNode alerts = new ObjectMapper().readTree(first.posts.get(0));
    assertThat(alerts).hasSize(1);
    assertThat(alerts.at("/0/annotations/summary").asText()).isEqualTo("newer");
  }

  @Test
  void oneAlertmanagerIsEnough() throws Exception {
    first.status = 503;
    writer.write(open("f1"), null);

    passMillis(AlertmanagerWriter.GATHER_MILLIS);

    assertThat(second.posts).hasSize(1);
    assertThat(pending()).isZero();
    assertThat(counter(AlertmanagerSink.FAILED_POSTS_TOTAL)).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {408, 429})
  void alertmanagerThatAsksForPatienceIsAskedAgain(int status) throws Exception {
    first.status = status;
    second.status = status;
    writer.write(open("f1"), null);

    passMillis(AlertmanagerWriter.GATHER_MILLIS);

    assertThat(pending()).isEqualTo(1);
    assertThat(counter(AlertmanagerSink.REFUSED_ALERTS_TOTAL)).isZero();
  }

  @Test
  void outageOfAllIsOutlasted() throws Exception {
    first.status = 500;
    second.server.stop(0);
    writer.write(open("f1"), null);
    passMillis(AlertmanagerWriter.GATHER_MILLIS);
    passMillis(LONGEST_PAUSE_MILLIS);
    assertThat(first.posts).hasSize(2);
    assertThat(pending()).isEqualTo(1);
    assertThat(counter(AlertmanagerSink.FAILED_POSTS_TOTAL)).isEqualTo(4);

    first.status = 200;
    passMillis(LONGEST_PAUSE_MILLIS);

    assertThat(pending()).isZero();
    assertThat(counter(AlertmanagerSink.POSTED_ALERTS_TOTAL)).isEqualTo(1);
  }

  @Test
  void checkpointTriesOnceAndDoesNotWaitForAnOutage() throws Exception {
    first.status = 500;
    second.status = 500;
    writer.write(open("f1"), null);

    writer.flush(false);

    assertThat(first.posts).hasSize(1);
    assertThat(pending()).isEqualTo(1);
  }

  @Test
  void refusedAlertIsCountedAndNotRepeated() throws Exception {
    first.status = 400;
    second.status = 400;
    writer.write(open("f1"), null);
    passMillis(AlertmanagerWriter.GATHER_MILLIS);
    passMillis(LONGEST_PAUSE_MILLIS);

    assertThat(first.posts).hasSize(1);
    assertThat(pending()).isZero();
    assertThat(counter(AlertmanagerSink.REFUSED_ALERTS_TOTAL)).isEqualTo(1);
    assertThat(counter(AlertmanagerSink.POSTED_ALERTS_TOTAL)).isZero();
  }

  @Test
  void manyAlertsAreSeveralPosts() throws Exception {
    for (int i = 0; i <= AlertmanagerWriter.MAX_ALERTS_PER_POST; i++) {
      writer.write(open("f" + i), null);
    }

    passMillis(AlertmanagerWriter.GATHER_MILLIS);

    assertThat(first.posts).hasSize(2);
    assertThat(pending()).isZero();
  }

  private void passMillis(long millis) throws Exception {
    time.advance(millis);
  }

  private int pending() {
    return metrics.<Integer>getGauge(AlertmanagerSink.PENDING_ALERTS).orElseThrow().getValue();
  }

  private long counter(String name) {
    return metrics.getCounter(name).orElseThrow().getCount();
  }

  private static Alert open(String fingerprint) {
    return Alert.newBuilder()
        .setFingerprint(fingerprint)
        .setState(AlertState.ALERT_STATE_OPEN)
        .setSeverity(Severity.SEVERITY_MAJOR)
        .setCheck("node")
        .setFirstSeenUnixNanos(unixNanos(NOON))
        .build();
  }

  private static final class FakeAlertmanager {
    final List<String> posts = new CopyOnWriteArrayList<>();
    final HttpServer server;
    volatile int status = 200;

    FakeAlertmanager() throws IOException {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext(
          "/api/v2/alerts",
          exchange -> {
            posts.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
          });
      server.start();
    }

    String url() {
      return "http://127.0.0.1:" + server.getAddress().getPort();
    }
  }
}
