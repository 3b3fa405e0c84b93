package io.tocsin.jobs.alerts;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;

import com.google.protobuf.ByteString;
import io.tocsin.alerts.v1.Signal;
import io.tocsin.correlation.alerts.AlertTiming;
import io.tocsin.correlation.alerts.StormLimits;
import io.tocsin.correlation.alerts.UpdateExpiry;
import io.tocsin.correlation.wan.WanSettings;
import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.Syslog;
import io.tocsin.jobs.AgentsClock;
import io.tocsin.jobs.Buffering;
import io.tocsin.jobs.JobOptions;
import io.tocsin.jobs.JobRunner;
import io.tocsin.jobs.Restart;
import io.tocsin.jobs.findings.FindingsJob;
import io.tocsin.jobs.findings.FindingsOptions;
import io.tocsin.jobs.wan.WanJob;
import io.tocsin.model.ProtobufTypeInfo;
import io.tocsin.rules.document.DocumentLoader;
import io.tocsin.rules.document.DocumentText;
import io.tocsin.rules.v1.RuleDocument;
import io.tocsin.testsupport.ListSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/**
 * CPU time of a JVM for each event of ordinary syslog that a job reads, from the bytes of Kafka's
 * record on: Flink with one instance of each operator, the rules that are shipped, no broker. Run
 * by {@code make bench}; another path than that of the shipped rules is its one argument.
 *
 * <p>All ways take turns in one JVM. "Shuffled" is what the alerts job did once: every event that a
 * rule could be about went to the rules by its device. "Busy" are the same two where one device
 * says half of everything. "Not decoded" is what no job can be below, because it skips every record
 * unseen; "decoded" looks at none.
 */
public final class EventsBenchmark {
  private static final int EVENTS = 400_000;
  private static final int RECORDS = 20_000;
  private static final int ROUNDS = 5;
  private static final int DEVICES = 1_000;
  private static final String BUSY = "firewall";
  private static final Path SHIPPED = Path.of("deploy/rules");

  /** What ordinary hosts, firewalls and switches say; # stands for a number. */
  private static final String[][] ORDINARY = {
    {"sshd", "", "Accepted publickey for deploy from 192.0.2.# port # ssh2: ED25519 SHA256:abcdef"},
    {"CRON", "", "(root) CMD (command -v debian-sa1 > /dev/null && debian-sa1 # 1)"},
    {"systemd", "", "Started Session # of user deploy."},
    {"dhcpd", "", "DHCPACK on 192.0.2.# to 02:00:00:00:#:07 (host#) via eth0"},
    {
      "ASA", "302013", "Built inbound TCP connection # for outside:192.0.2.#/443 to inside:10.0.0.#"
    },
    {
      "ASA", "302014", "Teardown TCP connection # for outside:192.0.2.#/443 duration 0:00:# bytes #"
    },
    {"postfix/smtpd", "", "connect from mail#.example.org[192.0.2.#]"},
  };

  private static List<RuleDocument> rules;
  private static byte[][] records;
  private static boolean isDecoded;
  private static CpuTime start;
  private static volatile CpuTime used;

  private EventsBenchmark() {}

  /** A way that events can go. */
  private enum Way {
    NOT_DECODED,
    DECODED,
    FINDINGS,
    WAN,
    ALERTS_SHUFFLED,
    ALERTS,
    ALERTS_SHUFFLED_BUSY,
    ALERTS_BUSY
  }

  /** Prints the median of some rounds for each way. */
  public static void main(String[] args) throws Exception {
    rules = rulesOf(args.length == 0 ? SHIPPED : Path.of(args[0]));
    Map<Way, double[]> micros = new EnumMap<>(Way.class);
    for (int round = -1; round < ROUNDS; round++) {
      for (Way way : Way.values()) {
        double each = run(way);
        if (round >= 0) {
          micros.computeIfAbsent(way, w -> new double[ROUNDS])[round] = each;
        }
      }
    }
    micros.forEach(
        (way, each) -> {
          Arrays.sort(each);
          System.out.printf(
              "events %-20s %.2f us each (%.2f to %.2f)%n",
              way, each[ROUNDS / 2], each[0], each[ROUNDS - 1]);
        });
    ratio(micros, Way.ALERTS, Way.ALERTS_SHUFFLED);
    ratio(micros, Way.ALERTS_BUSY, Way.ALERTS_SHUFFLED_BUSY);
  }

  private static void ratio(Map<Way, double[]> micros, Way way, Way other) {
    System.out.printf(
        "events %s / %s: ratio of medians %.2f%n",
        way, other, micros.get(way)[ROUNDS / 2] / micros.get(other)[ROUNDS / 2]);
  }

  /** CPU microseconds for each event. */
  private static double run(Way way) throws Exception {
    records = syslog(way == Way.ALERTS_BUSY || way == Way.ALERTS_SHUFFLED_BUSY);
    isDecoded = way != Way.NOT_DECODED;
    var env = StreamExecutionEnvironment.createLocalEnvironment(1);
    JobRunner.prepare(
        env,
        JobOptions.parse("job", new FindingsOptions()).orElseThrow(),
        bufferingOf(way),
        Restart.AFTER_PAGES);
    Source<Event, ?, ?> source =
        new DataGeneratorSource<>(
            EventsBenchmark::read, EVENTS, ProtobufTypeInfo.forMessage(Event.class));
    define(way, env, source);
    env.execute(way.name());
    return used.processNanos() / 1e3 / EVENTS;
  }

  private static Buffering bufferingOf(Way way) {
    return way.name().startsWith("ALERTS") ? Buffering.LOW_LATENCY : Buffering.BATCHED;
  }

  private static Event read(long index) throws IOException {
    if (index == 0) {
      start = CpuTime.now();
    }
    byte[] record = records[(int) (index % RECORDS)];
    Event event = isDecoded ? Event.parseFrom(record) : Event.getDefaultInstance();
    if (index == EVENTS - 1) {
      used = CpuTime.now().since(start);
    }
    return event;
  }

  private static void define(Way way, StreamExecutionEnvironment env, Source<Event, ?, ?> source)
      throws Exception {
    var options = JobOptions.parse("job", new FindingsOptions()).orElseThrow();
    switch (way) {
      case NOT_DECODED, DECODED ->
          events(env, source).filter(event -> false).sinkTo(new DiscardingSink<>());
      case FINDINGS ->
          FindingsJob.define(
              env,
              options.connectionLimit(),
              options.agentSilent(),
              options.clocks(),
              options.storageSlow(),
              options.resolvers(),
              source,
              new DiscardingSink<>());
      case WAN ->
          WanJob.define(
              env, WanSettings.defaults(), source, new DiscardingSink<>(), new DiscardingSink<>());
      case ALERTS, ALERTS_BUSY ->
          AlertsJob.signals(env, settings(), events(env, source), documents(env))
              .sinkTo(new DiscardingSink<>());
      case ALERTS_SHUFFLED, ALERTS_SHUFFLED_BUSY ->
          shuffled(env, settings(), events(env, source)).sinkTo(new DiscardingSink<>());
    }
  }

  private static DataStream<Event> events(
      StreamExecutionEnvironment env, Source<Event, ?, ?> source) {
    return env.fromSource(source, AgentsClock.watermarks(Duration.ofSeconds(2)), "events");
  }

  private static DataStream<RuleDocument> documents(StreamExecutionEnvironment env) {
    return env.fromSource(
        ListSource.of(RuleDocument.class, rules), AgentsClock.timeless(), "rule documents");
  }

  /** Every event that a rule can be about, by its device to the rules. */
  private static DataStream<Signal> shuffled(
      StreamExecutionEnvironment env, AlertsJob.Settings settings, DataStream<Event> events) {
    return events
        .filter(event -> !event.hasAgentStats() && !event.hasReject())
        .map(event -> event.toBuilder().clearRaw().build())
        .returns(ProtobufTypeInfo.forMessage(Event.class))
        .keyBy(Event::getDevice, Types.STRING)
        .connect(documents(env).broadcast(RulesInForce.DOCUMENTS))
        .process(new RulesFunction(settings.rules()), ProtobufTypeInfo.forMessage(Signal.class));
  }

  private static AlertsJob.Settings settings() {
    return new AlertsJob.Settings(
        AlertTiming.DEFAULT,
        UpdateExpiry.of(Duration.ofDays(7)),
        100_000,
        StormLimits.DEFAULT,
        document -> Optional.empty(),
        () -> new RulesAtStart.Contents(rules, rules.size()));
  }

  static List<RuleDocument> rulesOf(Path folder) throws IOException {
    List<RuleDocument> rules = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".yaml")).sorted().toList()) {
        for (DocumentText text : DocumentText.split(file.toString(), Files.readString(file))) {
          rules.add(
              RuleDocument.newBuilder()
                  .setName(DocumentLoader.load(text).name())
                  .setOrigin(text.origin())
                  .setYaml(text.text())
                  .build());
        }
      }
    }
    return rules;
  }

  private static byte[][] syslog(boolean isOneBusy) {
    Random random = new Random(20_261_120);
    byte[][] bytes = new byte[RECORDS][];
    for (int i = 0; i < RECORDS; i++) {
      boolean isBusy = isOneBusy && i % 2 == 0;
      bytes[i] = message(i, isBusy ? BUSY : "host" + random.nextInt(DEVICES), random).toByteArray();
    }
    return bytes;
  }

  /** A line of ordinary syslog. */
  static Event message(int sequence, String device, Random random) {
    String[] words = ORDINARY[random.nextInt(ORDINARY.length)];
    StringBuilder text = new StringBuilder();
    for (char c : words[2].toCharArray()) {
      text.append(c == '#' ? Integer.toString(random.nextInt(250)) : c);
    }
    long time = unixNanos(NOON) + sequence;
    return Event.newBuilder()
        .setEventId("agent-1-18a7b3c4d5e6f708-" + sequence)
        .setAgentId("agent-1")
        .setBootId(0x18a7b3c4d5e6f708L)
        .setSequence(sequence)
        .setListener("syslog-udp")
        .setReceivedAtUnixNanos(time)
        .setEventTimeUnixNanos(time)
        .setSourceIp(ByteString.copyFrom(new byte[16]))
        .setSourcePort(514)
        .setDevice(device)
        .setSite("north")
        .setRaw(
            ByteString.copyFromUtf8(
                "<134>Nov 20 12:00:00 " + device + " " + words[0] + ": " + text))
        .setSyslog(
            Syslog.newBuilder()
                .setFacility(16)
                .setSeverity(6)
                .setAppName(words[0])
                .setMsgId(words[1])
                .setMessage(text.toString()))
        .build();
  }
}
