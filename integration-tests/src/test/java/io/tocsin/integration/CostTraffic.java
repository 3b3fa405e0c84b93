package io.tocsin.integration;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;

/**
 * Steady traffic of a network, by processes {@code tocsin send}, until it is ended. Of a hundred
 * messages 80 are lines of syslog, 10 DHCP, 2.5 traps, 2.5 polled counters, 2.5 alert updates and
 * 2.5 probes.
 */
final class CostTraffic implements AutoCloseable {
  private static final int CLIENTS = 10_000;

  /** Devices that are polled and probed, at most: each then is as often as it says. */
  private static final int POLLED = 100;

  /** Longer than any run: generated traffic is ended, and does not end. */
  private static final long LONGEST_SECONDS = 1_200;

  /** Of an events file, which is played again and again; longer where each device is to speak. */
  private static final int FILE_SECONDS = 5;

  /**
   * Priority, application, message id and text of a line; each # becomes a number. As on a real
   * network there are few texts, of which the numbers change. No rule asks for any but the first,
   * which is rare.
   */
  private static final List<String[]> SYSLOG =
      List.of(
          line(
              189,
              "LINEPROTO",
              "UPDOWN",
              "Line protocol on Interface Gi1/0/#, changed state to down"),
          line(
              38,
              "sshd",
              "-",
              "Accepted publickey for deploy from 192.0.2.# port # ssh2: RSA SHA256:abc#"),
          line(
              134,
              "filterlog",
              "-",
              "block in on wan0 proto tcp 198.51.100.#:# -> 203.0.113.#:22 flags S seq # win 64240"
                  + " ttl 51 len 60"),
          line(
              30,
              "dhcpd",
              "-",
              "reuse_lease: lease age # (secs) under 25% threshold, reply with unaltered lease for"
                  + " 192.0.2.#"),
          line(78, "CRON", "-", "(root) CMD (/usr/lib/sysstat/sa1 1 1) pid #"),
          line(
              134,
              "haproxy",
              "-",
              "192.0.2.#:# backend web/srv# 200 # 0/0/1/4/# ---- 12/12/0/0/0 0/0 \"GET"
                  + " /api/v2/items/# HTTP/1.1\""),
          line(187, "OSPF", "RETRANS", "Process 1, Nbr 192.0.2.# on Vlan20 retransmit #, area 0"),
          line(86, "systemd-logind", "-", "New session # of user backup from host #, seat pts/#"),
          line(
              189,
              "PORT",
              "CRCERR",
              "rx crc errors # on port # since last poll, total #, threshold 1000"),
          line(
              110, "audit", "-", "type=1400 pid=# comm=snmpd capability=# op=allow name=net_admin"),
          line(
              190,
              "ENVMON",
              "STATUS",
              "temperature sensor # reads # C, fan # at # rpm, within limits"),
          line(
              30,
              "ntpd",
              "-",
              "adjusting local clock by 0.# s, peer 192.0.2.# stratum 2 reach 377"));

  /** One in so many lines of syslog is one that a rule asks for. */
  private static final int LINES_A_SIGNAL = 200;

  private static final List<String> OTHERS =
      List.of(
          """
          {"trap":{"oid":"SNMPv2-MIB::coldStart"}}
          """,
          """
          {"event":{"agentId":"poller","listener":"snmp-poller","device":"edge-%1$d","interfaceCounters":{"interface":"Gi0/1",\
          "ifIndex":1,"alias":"to dc2","inOctets":"1000000000","outOctets":"2000000000","speedBps":"1000000000",\
          "operStatus":"STATUS_UP","adminStatus":"STATUS_UP","inBps":16800000.0,"outBps":42000000.0,"inLoad":0.0168,\
          "outLoad":0.042,"outDiscardsPerSecond":0,"inErrorsPerSecond":0,"intervalMs":"10000"}}}
          """,
          """
          {"event":{"agentId":"prober","listener":"probes","device":"edge-%1$d","linkProbe":{"linkId":"link-%1$d",\
          "method":"METHOD_ICMP","target":"192.0.2.99","interface":"Gi0/1","intervalMs":1000,"timeoutMs":900,"rttMs":%1$d.5}}}
          """);

  private final String tocsin;
  private final int portOffset;
  private final Path folder;
  private final int devices;
  private final int alerts;
  private final List<Process> senders = new ArrayList<>();

  /**
   * Traffic that is not sent yet.
   *
   * @param portOffset of the listeners
   * @param folder for events files and logs
   * @param devices that speak
   * @param alerts that are open, and told again and again
   */
  CostTraffic(Path tocsin, int portOffset, Path folder, int devices, int alerts) {
    this.tocsin = tocsin.toString();
    this.portOffset = portOffset;
    this.folder = folder;
    this.devices = devices;
    this.alerts = alerts;
  }

  private static String[] line(int priority, String application, String messageId, String text) {
    return new String[] {Integer.toString(priority), application, messageId, text};
  }

  /** Begins to send all kinds, so many messages a second together. */
  void startMixed(int perSecond) throws IOException {
    startSyslog(perSecond * 80 / 100);
    generate("dhcp-udp", perSecond * 10 / 100, CLIENTS);
    generate("alert-udp", perSecond * 25 / 1_000, alerts);
    play("others", perSecond * 75 / 1_000, this::other);
  }

  /** Begins to send syslog alone. */
  void startSyslog(int perSecond) throws IOException {
    Random random = new Random(1);
    play("syslog", perSecond, number -> syslog(number, random));
  }

  private String syslog(int number, Random random) {
    boolean isSignal = number % LINES_A_SIGNAL == 0;
    String[] line = SYSLOG.get(isSignal ? 0 : 1 + random.nextInt(SYSLOG.size() - 1));
    StringBuilder text = new StringBuilder();
    for (char each : line[3].replace("\"", "\\\"").toCharArray()) {
      text.append(each == '#' ? Integer.toString(random.nextInt(50_000)) : each);
    }
    return """
    {"to":"syslog-udp","payload":"<%s>1 {{now}} device-%d %s %d %s - %s"}
    """
        .formatted(line[0], number % devices, line[1], 4_711, line[2], text);
  }

  private String other(int number) {
    return OTHERS
        .get(number % OTHERS.size())
        .formatted(number / OTHERS.size() % Math.min(devices, POLLED));
  }

  private void generate(String listener, int perSecond, int sources) throws IOException {
    send(
        perSecond,
        "--generate=" + listener,
        "--count=" + perSecond * LONGEST_SECONDS,
        "--sources=" + sources);
  }

  /** The same file again and again. */
  private void play(String name, int perSecond, IntFunction<String> line) throws IOException {
    Path file = folder.resolve("cost-" + name + ".jsonl");
    int count = Math.max(perSecond * FILE_SECONDS, devices);
    try (BufferedWriter lines = Files.newBufferedWriter(file)) {
      for (int number = 0; number < count; number++) {
        lines.write(line.apply(number));
      }
    }
    long rounds = Math.max(1, perSecond * LONGEST_SECONDS / count);
    send(perSecond, "--rounds=" + rounds, file.toString());
  }

  private void send(int perSecond, String... arguments) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(tocsin, "send", "--port-offset=" + portOffset, "--rate=" + perSecond);
    builder.command().addAll(List.of(arguments));
    senders.add(
        builder
            .redirectErrorStream(true)
            .redirectOutput(
                ProcessBuilder.Redirect.appendTo(folder.resolve("cost-send.log").toFile()))
            .start());
  }

  /** Ends the traffic. */
  @Override
  public void close() {
    senders.forEach(Process::destroy);
  }
}
