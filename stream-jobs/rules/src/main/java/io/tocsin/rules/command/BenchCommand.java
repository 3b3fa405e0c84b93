package io.tocsin.rules.command;

import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.Syslog;
import io.tocsin.rules.document.Example;
import io.tocsin.rules.document.Rule;
import io.tocsin.rules.match.RuleSet;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tocsin-rules bench}. */
@Command(
    name = "bench",
    description = {
      "Measures how many syslog events a second one core matches: ordinary traffic of hosts, firewalls and",
      "switches, of which one message in a hundred is an example of a rule. Median of five rounds."
    },
    sortOptions = false,
    usageHelpAutoWidth = true,
    mixinStandardHelpOptions = true)
final class BenchCommand implements Callable<Integer> {
  private static final int EVENTS = 10_000;
  private static final int ONE_IN = 100;
  private static final int ROUNDS = 5;
  private static final Duration WARM_UP = Duration.ofSeconds(3);
  private static final Duration ROUND = Duration.ofSeconds(1);
  private static final double NANOS_PER_SECOND = 1e9;

  /** App name, message id and message; # stands for a number. */
  private static final String[][] ORDINARY = {
    {"sshd", "", "Accepted publickey for deploy from 192.0.2.# port # ssh2: ED25519 SHA256:abcdef"},
    {"CRON", "", "(root) CMD (command -v debian-sa1 > /dev/null && debian-sa1 # 1)"},
    {"systemd", "", "Started Session # of user deploy."},
    {
      "kernel", "", "[UFW BLOCK] IN=eth0 OUT= SRC=192.0.2.# DST=198.51.100.# PROTO=TCP SPT=# DPT=23"
    },
    {"nginx", "", "192.0.2.# - - \"GET /index.html?id=# HTTP/1.1\" 200 # \"-\" \"Mozilla/5.0\""},
    {"dhcpd", "", "DHCPACK on 192.0.2.# to 02:00:00:00:#:07 (host#) via eth0"},
    {
      "ASA",
      "302013",
      "Built inbound TCP connection # for outside:192.0.2.#/443 to inside:10.0.0.#/#"
    },
    {
      "ASA", "302014", "Teardown TCP connection # for outside:192.0.2.#/443 duration 0:00:# bytes #"
    },
    {
      "SEC_LOGIN", "LOGIN_SUCCESS", "Login Success [user: admin] [Source: 10.0.0.#] [localport: 22]"
    },
    {"postfix/smtpd", "", "connect from mail#.example.org[192.0.2.#]"},
  };

  @Mixin private RulePaths paths;
  @Spec private CommandSpec spec;

  @Option(
      names = "--rules",
      paramLabel = "N",
      description = "repeat the rules under other names until there are N (default: as they are)")
  private int wanted;

  @Option(
      names = "--tocsin",
      paramLabel = "FILE",
      defaultValue = "${env:TOCSIN_BINARY:-tocsin}",
      description = "the tocsin binary, which reads the examples")
  private String tocsin;

  @Override
  public Integer call() {
    List<Rule> rules = new ArrayList<>(paths.read(spec.commandLine().getErr()).rules());
    List<Event> events = events(rules);
    int shipped = rules.size();
    for (int i = 0; rules.size() < wanted; i++) {
      rules.add(renamed(rules.get(i % shipped), i));
    }
    RuleSet set = RuleSet.of(rules);
    measure(set, events, WARM_UP);
    double[] perSecond = new double[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
      perSecond[round] = measure(set, events, ROUND);
    }
    Arrays.sort(perSecond);
    double median = perSecond[ROUNDS / 2];
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        "rules %d, syslog events a second a core: median %,.0f (%,.0f to %,.0f), %.0f ns an event%n",
        rules.size(), median, perSecond[0], perSecond[ROUNDS - 1], NANOS_PER_SECOND / median);
    return 0;
  }

  private List<Event> events(List<Rule> rules) {
    List<String> examples =
        rules.stream()
            .flatMap(rule -> rule.examples().stream())
            .map(Example::syslog)
            .filter(syslog -> !syslog.isEmpty())
            .toList();
    List<Event> telling =
        new SyslogParser(tocsin).parse(examples).stream().map(events -> events.get(0)).toList();
    Random random = new Random(20_261_120);
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < EVENTS; i++) {
      boolean isTelling = i % ONE_IN == 0 && !telling.isEmpty();
      events.add(isTelling ? telling.get(random.nextInt(telling.size())) : ordinary(random));
    }
    Collections.shuffle(events, random);
    return events;
  }

  private static Event ordinary(Random random) {
    String[] message = ORDINARY[random.nextInt(ORDINARY.length)];
    StringBuilder text = new StringBuilder();
    for (char c : message[2].toCharArray()) {
      text.append(c == '#' ? Integer.toString(random.nextInt(250)) : c);
    }
    return Event.newBuilder()
        .setEventId("bench")
        .setDevice("host" + random.nextInt(1_000))
        .setSyslog(
            Syslog.newBuilder()
                .setAppName(message[0])
                .setMsgId(message[1])
                .setMessage(text.toString()))
        .build();
  }

  private static Rule renamed(Rule rule, int number) {
    return new Rule(
        rule.name() + "-" + number,
        rule.check(),
        rule.fingerprint(),
        rule.labels(),
        rule.team(),
        rule.runbook(),
        rule.expiresAfterSeconds(),
        rule.clauses(),
        rule.examples(),
        rule.pushedAtUnixNanos());
  }

  /** Events a second. */
  private static double measure(RuleSet rules, List<Event> events, Duration least) {
    long startedNanos = System.nanoTime();
    long count = 0;
    long signals = 0;
    long elapsedNanos;
    do {
      for (Event event : events) {
        signals += rules.apply(event, key -> null).signals().size();
      }
      count += events.size();
      elapsedNanos = System.nanoTime() - startedNanos;
    } while (elapsedNanos < least.toNanos());
    if (signals == 0) {
      throw new CommandException(
          "no event made a signal, so the figure would mean nothing",
          "give rules with syslog examples");
    }
    return count * NANOS_PER_SECOND / elapsedNanos;
  }
}
