package io.tocsin.integration;

import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.embedded.clickhouse.ClickHouseException;
import io.tocsin.events.v1.Event.BodyCase;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A fault while every job has much to do, and what must have come of it: what Kafka holds is what
 * ClickHouse holds, byte for byte and once, and every alert and lease ends where it must.
 */
final class LoadDrill {
  private static final List<String> TOPICS =
      List.of(
          "events-syslog-v1", "events-alert-v1", "events-dhcp-v1", "agent-stats-v1", "rejects-v1");

  private final Installation on;
  private final int messagesPerSecond;
  private final int seconds;
  private final Duration deadline;
  private final Path folder;

  /**
   * Faults of one installation.
   *
   * @param messagesPerSecond of all kinds, that are sent meanwhile
   * @param seconds the least time that they are sent
   * @param deadline of each thing that is waited for
   * @param folder for events files and logs
   */
  LoadDrill(Installation on, int messagesPerSecond, int seconds, Duration deadline, Path folder) {
    this.on = on;
    this.messagesPerSecond = messagesPerSecond;
    this.seconds = seconds;
    this.deadline = deadline;
    this.folder = folder;
  }

  /** Brings about a fault. */
  interface Fault {
    Struck strike() throws Exception;
  }

  /**
   * A fault that has been brought about.
   *
   * @param at when
   * @param sentBesides listener to the number of messages that were sent to see what comes of it
   */
  record Struck(Instant at, Map<String, Long> sentBesides) {
    /** Just now, and nothing was sent. */
    static Struck now() {
      return new Struck(Instant.now(), Map.of());
    }
  }

  /**
   * Traffic, the fault, and everything that is compared after it.
   *
   * @param name first part of the devices' names, another for each fault
   * @param number the same of the clients' addresses, 0 to 99
   */
  void run(String name, int number, Fault fault) throws Exception {
    Path tocsin = TestStacks.tools().tocsin();
    int offset = on.ports().offset();
    try (LoadTraffic traffic =
        new LoadTraffic(name, number, messagesPerSecond, tocsin, offset, folder)) {
      Map<String, Long> sentBefore = sentByListener();
      Instant begun = Instant.now();
      traffic.start();
      awaitStoredSince(begun);
      say(name, "the fault; load average " + Machine.loadAverage());
      Struck struck = fault.strike();
      awaitStoredSince(struck.at());
      say(
          name,
          "a second of what came after it is stored after %.1f s"
              .formatted(secondsSince(struck.at())));
      awaitTime(begun.plusSeconds(seconds));
      traffic.end();
      Instant sent = Instant.now();
      on.awaitClosedBalance(deadline);
      say(name, "balance closed %.1f s after the last message".formatted(secondsSince(sent)));
      awaitContents(name, sent);
      assertSent(name, traffic, struck, sentBefore);
      awaitAlerts(traffic);
      awaitTransitions(name, traffic);
      assertLeases(traffic);
      awaitPager(name, traffic);
    }
  }

  /** Waits until a time. */
  void awaitTime(Instant time) {
    await("the end of the traffic")
        .atMost(deadline)
        .pollInterval(Duration.ofMillis(500))
        .until(() -> Instant.now().isAfter(time));
  }

  private void awaitStoredSince(Instant since) {
    String sql =
        "SELECT count() FROM tocsin.syslog WHERE received_at > fromUnixTimestamp64Micro(toInt64(%d))"
            .formatted(ChronoUnit.MICROS.between(Instant.EPOCH, since));
    await(messagesPerSecond + " rows of tocsin.syslog")
        .atMost(deadline)
        .conditionEvaluationListener(new Progress(on.name()))
        .pollInterval(Duration.ofMillis(200))
        // While it is away.
        .ignoreException(ClickHouseException.class)
        .until(() -> on.number(sql) >= messagesPerSecond);
  }

  /** Of each listener of the agent: what was sent to it, dropped by the kernel or received. */
  private Map<String, Long> sentByListener() {
    return on.rows("SELECT listener, toInt64(sum(sent)) FROM tocsin.balance GROUP BY listener")
        .collect(toMap(row -> row.path(0).asText(), row -> row.path(1).asLong()));
  }

  private void assertSent(
      String name, LoadTraffic traffic, Struck struck, Map<String, Long> before) {
    Map<String, Long> now = sentByListener();
    traffic
        .sent()
        .forEach(
            (listener, count) ->
                assertThat(now.get(listener) - before.getOrDefault(listener, 0L))
                    .as("what %s was sent, by its own count", listener)
                    .isEqualTo(count + struck.sentBesides().getOrDefault(listener, 0L)));
    say(
        name,
        "sent %s, of these dropped by the kernel so far: %d"
            .formatted(
                traffic.sent(),
                on.number("SELECT toInt64(sum(kernel_dropped)) FROM tocsin.balance")));
  }

  /** A finding of a job may come after the messages that it is about: then it is read again. */
  private void awaitContents(String name, Instant until) {
    Topics topics = new Topics(on.kafkaBootstrapServers());
    await("what Kafka holds is what ClickHouse holds")
        .atMost(deadline)
        .untilAsserted(
            () ->
                Content.ofTopics(topics, TOPICS, until)
                    .forEach(
                        (kind, inKafka) -> {
                          Content stored = Content.ofTable(on.clickHouse(), kind, until);
                          assertThat(stored).as("%s", kind).isEqualTo(inKafka);
                          // Findings of jobs reach the topic at least once, with the same id.
                          if (kind != BodyCase.ALERT_UPDATE) {
                            assertThat(stored.distinctIds())
                                .as("%s", kind)
                                .isEqualTo(stored.rows());
                          }
                          say(name, "%s: %s, the same in Kafka".formatted(kind, stored));
                        }));
  }

  /** None is missing, and none is open that should have closed. */
  private void awaitAlerts(LoadTraffic traffic) {
    String sql =
        "SELECT device, toString(state) FROM tocsin.alerts WHERE startsWith(device, '%s')"
            .formatted(traffic.devicePrefix());
    await("the alerts' states")
        .atMost(deadline)
        .untilAsserted(
            () ->
                assertThat(
                        on.rows(sql)
                            .collect(
                                toMap(row -> row.path(0).asText(), row -> row.path(1).asText())))
                    .isEqualTo(traffic.alerts()));
  }

  /**
   * Each once in the table when it is merged, and the same in the topic, where repeats are allowed.
   * What the job tells once more, because the topic's last word is not what it holds, comes late.
   */
  private void awaitTransitions(String name, LoadTraffic traffic) {
    await("the transitions of the topic in the table")
        .atMost(deadline)
        .untilAsserted(
            () -> {
              Set<String> published = published(traffic);
              assertThat(
                      on.rows(
                          "SELECT concat(fingerprint, ' ', toString(version)) FROM tocsin.alert_history FINAL WHERE startsWith(device, '%s')"
                              .formatted(traffic.devicePrefix())))
                  .extracting(row -> row.path(0).asText())
                  .doesNotHaveDuplicates()
                  .containsExactlyInAnyOrderElementsOf(published);
              say(
                  name,
                  "%d transitions of %d alerts"
                      .formatted(published.size(), traffic.alerts().size()));
            });
  }

  private Set<String> published(LoadTraffic traffic) {
    Set<String> published = new TreeSet<>();
    new Topics(on.kafkaBootstrapServers())
        .forEach(
            "alerts-v1",
            Alert.parser(),
            alert -> {
              if (alert.getDevice().startsWith(traffic.devicePrefix())) {
                published.add(alert.getFingerprint() + " " + alert.getVersion());
              }
            });
    return published;
  }

  private void assertLeases(LoadTraffic traffic) {
    String clients = " WHERE startsWith(mac, '%s')".formatted(traffic.clientPrefix());
    await("leases")
        .atMost(deadline)
        .untilAsserted(
            () ->
                assertThat(
                        on.number(
                            "SELECT countIf(state = 'bound') FROM tocsin.registrations" + clients))
                    .isEqualTo(traffic.clients()));
    assertThat(
            on.number(
                "SELECT count() - uniqExact(mac, version) FROM tocsin.registration_history FINAL"
                    + clients))
        .as("transitions of registrations stored more than once")
        .isZero();
  }

  /** Alertmanager knows of what is still open, and of nothing else. */
  private void awaitPager(String name, LoadTraffic traffic) {
    Set<String> open =
        traffic.alerts().entrySet().stream()
            .filter(alert -> alert.getValue().equals("open"))
            .map(Map.Entry::getKey)
            .collect(toSet());
    await("Alertmanager's active alerts")
        .atMost(deadline)
        .untilAsserted(
            () ->
                assertThat(on.activeAlerts(""))
                    .extracting(alert -> alert.path("labels").path("device").asText())
                    .filteredOn(device -> device.startsWith(traffic.devicePrefix()))
                    .containsExactlyInAnyOrderElementsOf(open));
    say(name, "%d alerts open, at the pager too".formatted(open.size()));
  }

  static double secondsSince(Instant time) {
    return Duration.between(time, Instant.now()).toMillis() / 1e3;
  }

  private void say(String drill, String what) {
    on.say(drill + ": " + what);
  }
}
