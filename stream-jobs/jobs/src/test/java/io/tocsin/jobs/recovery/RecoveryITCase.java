package io.tocsin.jobs.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.connectors.kafka.Topics;
import io.tocsin.jobs.JobOptions;
import io.tocsin.jobs.alerts.AlertsJob;
import io.tocsin.jobs.alerts.AlertsOptions;
import io.tocsin.jobs.paging.PagingJob;
import io.tocsin.jobs.paging.PagingOptions;
import io.tocsin.jobs.recovery.Story.Sending;
import io.tocsin.jobs.registrations.RegistrationsJob;
import io.tocsin.jobs.registrations.RegistrationsOptions;
import io.tocsin.jobs.wan.WanJob;
import io.tocsin.jobs.wan.WanOptions;
import io.tocsin.kafka.KafkaConnection;
import io.tocsin.rules.topic.RulesTopic;
import io.tocsin.testsupport.ServerUnderTest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * After any crash the world ends where a run without crashes ends, with the real jobs on a real
 * Kafka: each job dies at random moments, alone or with others, goes on from one of its last three
 * checkpoints and with another number of instances. The last word of every topic, and what an
 * Alertmanager rings for, are what the story says; the first story has no crash.
 */
class RecoveryITCase {
  private static final int SLOTS = 16;
  private static final Duration DEADLINE = Duration.ofMinutes(3);

  /** Long enough that time can run on after the story; beyond five minutes nobody waits for it. */
  private static final Duration BEHIND = Duration.ofMinutes(3);

  /** WAN fetches once in half a second and judges a second later. */
  private static final int MOST_MILLIS_TO_DEATH = 3_000;

  /** Event time that passes between two looks at the topics, until it is the present. */
  private static final double SECONDS_PER_LOOK = 2;

  /** After the story; whatever a crash left to be corrected is so by then, and stays so. */
  private static final double SETTLED_SECONDS = 60;

  @RegisterExtension
  static final MiniClusterExtension CLUSTER =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(SLOTS)
              .build());

  private static String kafka;

  /** Of the class, so that it goes after the cluster, which writes on for a job that has ended. */
  @TempDir private static Path folder;

  private Path checkpoints;

  @BeforeAll
  static void pushRules() {
    kafka = ServerUnderTest.requireKafka();
    RulesTopic rules = new RulesTopic(KafkaConnection.of(kafka), Duration.ofSeconds(30));
    Instant now = Instant.now();
    rules.publish(
        List.of(
            RulesTopic.document("recovery-line", Story.RULE, "recovery.yaml:1", now),
            RulesTopic.document("recovery-way", Story.DEPENDENCY, "recovery.yaml:2", now)),
        List.of());
  }

  /** From one to another; 0 has no crash. */
  static LongStream seeds() {
    String seeds = System.getenv().getOrDefault("TOCSIN_RECOVERY_SEEDS", "0-2");
    String[] range = seeds.split("-", 2);
    return LongStream.rangeClosed(Long.parseLong(range[0]), Long.parseLong(range[1]));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void worldEndsWhereTheRunWithoutCrashesEnds(long seed) throws Exception {
    checkpoints = folder.resolve("seed-" + seed);
    Random random = new Random(seed);
    Map<String, CrashingJob> jobs = new TreeMap<>();
    try (TopicWords topics = new TopicWords(kafka);
        FakeAlertmanager alertmanager = new FakeAlertmanager()) {
      topics.startAtTheEnd(
          Set.of(AlertsJob.NAME, RegistrationsJob.NAME, WanJob.NAME),
          List.of(
              Topics.EVENTS_ALERT,
              Topics.EVENTS_SYSLOG,
              Topics.EVENTS_SNMP,
              Topics.EVENTS_COUNTERS,
              Topics.EVENTS_DHCP,
              Topics.EVENTS_PROBE,
              Topics.AGENT_STATS));
      start(jobs, random, alertmanager);
      int number = (int) (System.nanoTime() >>> 10 & 0xffff);
      Story story = new Story(random, number, Instant.now().minus(BEHIND));
      play(story, seed == 0 ? 0 : 1 + random.nextInt(3), random, topics, jobs);
      awaitEnd(story, topics, alertmanager, "seed " + seed);
    } finally {
      for (CrashingJob job : jobs.values()) {
        job.stop();
      }
    }
  }

  private void start(Map<String, CrashingJob> jobs, Random random, FakeAlertmanager alertmanager)
      throws Exception {
    AlertsOptions alerts =
        options(new AlertsOptions(), "--storm-opens=" + Story.STORM_OPENS, "--flapping-opens=1000");
    PagingOptions paging =
        options(new PagingOptions(), "--alertmanager-urls=" + alertmanager.url());
    RegistrationsOptions registrations = options(new RegistrationsOptions());
    WanOptions wan = options(new WanOptions());
    jobs.put("alerts", job("alerts", random, env -> AlertsJob.configure(env, alerts)));
    jobs.put("paging", job("paging", random, env -> PagingJob.configure(env, paging)));
    jobs.put(
        "registrations",
        job("registrations", random, env -> RegistrationsJob.configure(env, registrations)));
    jobs.put("wan", job("wan", random, env -> WanJob.configure(env, wan)));
    for (CrashingJob job : jobs.values()) {
      job.awaitCheckpoint();
    }
  }

  private CrashingJob job(
      String name, Random random, Consumer<StreamExecutionEnvironment> definition)
      throws Exception {
    return new CrashingJob(name, checkpoints.resolve(name), random, definition);
  }

  private static <O extends JobOptions> O options(O options, String... more) {
    List<String> args = new ArrayList<>(List.of(more));
    args.add("--kafka-bootstrap-servers=" + kafka);
    return JobOptions.parse("test", options, args.toArray(String[]::new)).orElseThrow();
  }

  /**
   * Sends the story; before each crash those that will die keep a checkpoint, and then a part of
   * the story comes that their next run reads again.
   */
  private static void play(
      Story story, int crashes, Random random, TopicWords topics, Map<String, CrashingJob> jobs)
      throws Exception {
    List<Sending> sendings = story.sendings();
    int sent = 0;
    for (int crash = 1; crash <= crashes; crash++) {
      int until = crash * sendings.size() / crashes;
      int keptAt = sent + random.nextInt(until - sent);
      send(sendings.subList(sent, keptAt), topics);
      List<CrashingJob> victims =
          jobs.values().stream().filter(job -> !job.isDead() && random.nextInt(3) != 0).toList();
      for (CrashingJob victim : victims) {
        victim.awaitCheckpoint();
      }
      send(sendings.subList(keptAt, until), topics);
      sent = until;
      Thread.sleep(random.nextInt(MOST_MILLIS_TO_DEATH)); // Anywhere between two checkpoints.
      for (CrashingJob victim : victims) {
        victim.die();
      }
      goOn(jobs.values().stream().filter(job -> random.nextBoolean()).toList());
    }
    send(sendings.subList(sent, sendings.size()), topics);
    goOn(jobs.values());
  }

  private static void goOn(Collection<CrashingJob> jobs) throws Exception {
    for (CrashingJob job : jobs) {
      if (job.isDead()) {
        job.goOn();
      }
    }
  }

  private static void send(List<Sending> sendings, TopicWords topics) {
    sendings.forEach(sending -> send(sending, topics));
    topics.flush();
  }

  private static void send(Sending sending, TopicWords topics) {
    if (sending.key() == null) {
      topics.sendToEachPartition(sending.topic(), sending.value());
    } else {
      topics.send(sending.topic(), sending.key(), sending.value());
    }
  }

  /** Time goes on meanwhile, and as the present when it has come so far. */
  private static void awaitEnd(
      Story story, TopicWords topics, FakeAlertmanager alertmanager, String name) {
    LastWords words = new LastWords(topics);
    Set<String> pages =
        story.isPaging().entrySet().stream()
            .filter(Map.Entry::getValue)
            .map(Map.Entry::getKey)
            .collect(Collectors.toSet());
    AtomicInteger looks = new AtomicInteger();
    Awaitility.await(name)
        .atMost(DEADLINE)
        .untilAsserted(
            () -> {
              double second = looks.incrementAndGet() * SECONDS_PER_LOOK;
              send(story.after(second, Instant.now()), topics);

              assertThat(second).as("seconds after").isGreaterThan(SETTLED_SECONDS);
              assertThat(words.registrations())
                  .as("registrations")
                  .containsAllEntriesOf(story.registrations());
              assertThat(words.episodes()).as("episodes").isEqualTo(story.episodes());
              assertThat(words.isPaging()).as("active alerts").isEqualTo(story.isPaging());
              assertThat(words.ringing(alertmanager)).as("ringing").isEqualTo(pages);
            });
  }
}
