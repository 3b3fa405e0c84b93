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
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.metrics.testutils.MetricListener;
import org.apache.flink.streaming.runtime.tasks.TestProcessingTimeService;
import org.apache.flink.util.function.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against small HTTP servers that answer as told; time is virtual. */
class AlertmanagerWriterTest {
  private static final long LONGEST_PAUSE_MILLIS = 15_000;
  private static final Duration RESEND = Duration.ofSeconds(60);

  private final MetricListener metrics = new MetricListener();
  private final TestProcessingTimeService time = new TestProcessingTimeService();
  private final Mailbox mailbox = new Mailbox();
  private FakeAlertmanager first;
  private FakeAlertmanager second;
  private AlertmanagerWriter writer;

  @BeforeEach
  void start() throws Exception {
    first = new FakeAlertmanager();
    second = new FakeAlertmanager();
    time.setCurrentTime(NOON.toEpochMilli());
    PostCounters counters = PostCounters.in(metrics.getMetricGroup());
    writer =
        new AlertmanagerWriter(
            List.of(queue(first.url(), counters), queue(second.url() + "/", counters)),
            RESEND,
            PageLinks.DEFAULT,
            time,
            mailbox,
            metrics.getMetricGroup());
  }

  private AlertmanagerQueue queue(String url, PostCounters counters) {
    return new AlertmanagerQueue(
        new AlertmanagerClient(url),
        new Backoff(Duration.ofMillis(500), Duration.ofMillis(LONGEST_PAUSE_MILLIS), new Random(1)),
        RESEND.multipliedBy(4),
        time,
        mailbox,
        counters);
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
    assertThat(alerts.at("/0/startsAt").asText()).isEqualTo("2026-11-20T12:00:00.020Z");
    assertThat(counter(AlertmanagerSink.POSTED_ALERTS_TOTAL)).isEqualTo(4);
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
  void alertmanagerThatIsAwayHoldsUpNoOtherAndGetsItsAlertsLater() throws Exception {
    first.status = 503;
    writer.write(open("f1"), null);
    passMillis(AlertmanagerWriter.GATHER_MILLIS);
    writer.write(open("f2"), null);
    passMillis(AlertmanagerWriter.GATHER_MILLIS);

    assertThat(second.posts).hasSize(2);
    assertThat(first.posts).hasSize(1);
    assertThat(pending()).isEqualTo(2);
    assertThat(counter(AlertmanagerSink.FAILED_POSTS_TOTAL)).isEqualTo(1);

    first.status = 200;
    passMillis(LONGEST_PAUSE_MILLIS);

    assertThat(fingerprints(first.posts.get(1))).containsExactly("f1", "f2");
    // As of this post, so that Alertmanager gathers both of them.
    assertThat(new ObjectMapper().readTree(first.posts.get(1)).findValuesAsText("startsAt"))
        .containsExactly("2026-11-20T12:00:15.040Z", "2026-11-20T12:00:15.040Z");
    assertThat(second.posts).hasSize(2);
    assertThat(pending()).isZero();
  }

  @Test
  void oneThatIsAwayAndOneThatRefusesHoldUpNothing() throws Exception {
    first.server.stop(0);
    second.refused = "bad";
    writer.write(open("f1"), null);
    writer.write(open("bad"), null);
    writer.write(open("f2"), null);
    passMillis(AlertmanagerWriter.GATHER_MILLIS);

    assertThat(second.accepted()).containsExactlyInAnyOrder("f1", "f2");
    assertThat(counter(AlertmanagerSink.REFUSED_ALERTS_TOTAL)).isEqualTo(1);

    writer.write(open("f3"), null);
    passMillis(AlertmanagerWriter.GATHER_MILLIS);
    assertThat(second.accepted()).contains("f3");
  }

  @ParameterizedTest
  @ValueSource(ints = {408, 429})
  void alertmanagerThatAsksForPatienceIsAskedAgain(int status) throws Exception {
    first.status = status;
    writer.write(open("f1"), null);

    passMillis(AlertmanagerWriter.GATHER_MILLIS);

    assertThat(pending()).isEqualTo(1);
    assertThat(counter(AlertmanagerSink.REFUSED_ALERTS_TOTAL)).isZero();
  }

  @Test
  void pausesGrowAndACheckpointDoesNotCutThemShort() throws Exception {
    first.status = 500;
    writer.write(open("f1"), null);
    passMillis(AlertmanagerWriter.GATHER_MILLIS);
    for (int checkpoint = 0; checkpoint < 10; checkpoint++) {
      writer.flush(false);
    }
    assertThat(first.posts).hasSize(1);

    for (int second = 0; second < 60; second++) {
      passMillis(1_000);
      writer.flush(false);
    }

    assertThat(first.posts).hasSizeBetween(6, 12);
    assertThat(pending()).isEqualTo(1);
  }

  @Test
  void newsThatAlertmanagerHasEndedItselfMeanwhileIsForgotten() throws Exception {
    first.status = 500;
    writer.write(open("f1"), null);
    passMillis(AlertmanagerWriter.GATHER_MILLIS);
    for (int second = 0; second < 300; second++) {
      passMillis(1_000);
    }

    assertThat(pending()).isZero();
  }

  @Test
  void endOfTheInputPostsEverythingOnce() throws Exception {
    first.status = 500;
    writer.write(open("f1"), null);

    writer.flush(true);

    assertThat(first.posts).hasSize(1);
    assertThat(second.posts).hasSize(1);
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
    assertThat(counter(AlertmanagerSink.REFUSED_ALERTS_TOTAL)).isEqualTo(2);
    assertThat(counter(AlertmanagerSink.POSTED_ALERTS_TOTAL)).isZero();
  }

  @Test
  void manyAlertsAreSeveralPosts() throws Exception {
    for (int i = 0; i <= AlertmanagerQueue.MAX_ALERTS_PER_POST; i++) {
      writer.write(open("f" + i), null);
    }

    passMillis(AlertmanagerWriter.GATHER_MILLIS);

    assertThat(first.posts).hasSize(2);
    assertThat(pending()).isZero();
  }

  private void passMillis(long millis) throws Exception {
    time.advance(millis);
    // Answers come from real servers, in real time; each wakes the mailbox.
    while (writer.isPosting()) {
      mailbox.yield();
    }
  }

  private static List<String> fingerprints(String post) throws IOException {
    return new ObjectMapper().readTree(post).findValuesAsText("fingerprint");
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

    /** A fingerprint with which every post is refused. */
    volatile String refused;

    private final List<String> acceptedFingerprints = new CopyOnWriteArrayList<>();

    FakeAlertmanager() throws IOException {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext(
          "/api/v2/alerts",
          exchange -> {
            String post =
                new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            posts.add(post);
            List<String> fingerprints = fingerprints(post);
            int answer = fingerprints.contains(refused) ? 400 : status;
            if (answer == 200) {
              acceptedFingerprints.addAll(fingerprints);
            }
            exchange.sendResponseHeaders(answer, -1);
            exchange.close();
          });
      server.start();
    }

    List<String> accepted() {
      return acceptedFingerprints;
    }

    String url() {
      return "http://127.0.0.1:" + server.getAddress().getPort();
    }
  }

  /** Runs what is sent to it when the test says so. */
  private static final class Mailbox implements MailboxExecutor {
    private final BlockingQueue<ThrowingRunnable<? extends Exception>> mails =
        new LinkedBlockingQueue<>();

    @Override
    public void execute(
        MailOptions options,
        ThrowingRunnable<? extends Exception> command,
        String descriptionFormat,
        Object... descriptionArgs) {
      mails.add(command);
    }

    @Override
    public void yield() throws InterruptedException {
      run(mails.take());
    }

    @Override
    public boolean tryYield() {
      ThrowingRunnable<? extends Exception> mail = mails.poll();
      if (mail != null) {
        run(mail);
      }
      return mail != null;
    }

    @Override
    public boolean shouldInterrupt() {
      return false;
    }

    private static void run(ThrowingRunnable<? extends Exception> mail) {
      try {
        mail.run();
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
  }
}
