package io.tocsin.integration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Traffic of every kind that the jobs read, at a rate, until it is ended: slices of five seconds,
 * each by two processes {@code tocsin send}. One makes up syslog, the other plays alert updates and
 * DHCP exchanges of which the end is known.
 *
 * <p>Alerts are spread over many sources and checks, so that none belongs to a storm. Each is
 * raised once; all but each tenth are cleared two seconds later.
 */
final class LoadTraffic implements AutoCloseable {
  private static final int SLICE_SECONDS = 5;
  private static final int SYSLOG_DEVICES = 50;
  private static final int ALERTS = 100;
  private static final int ALERT_GROUPS = 20;
  private static final int LEFT_OPEN_EVERY = 10;
  private static final int CLEARED_AFTER_MS = 2_000;
  private static final int CLIENTS = 250;
  private static final int MESSAGES_OF_AN_EXCHANGE = 4;

  private static final int UPDATES = 2 * ALERTS - ALERTS / LEFT_OPEN_EVERY;
  private static final int DHCP_MESSAGES = CLIENTS * MESSAGES_OF_AN_EXCHANGE;
  private static final int LEAST_PER_SECOND = (UPDATES + DHCP_MESSAGES) / SLICE_SECONDS + 1;

  private final String name;
  private final int number;
  private final int syslogPerSlice;
  private final Path tocsin;
  private final String portOffset;
  private final Path folder;
  private final ExecutorService executor = Executors.newSingleThreadExecutor();
  private Future<?> sending;
  private volatile boolean isEnding;
  private volatile int slices;

  /**
   * Traffic that is not sent yet.
   *
   * @param name of the drill: first part of its devices' names
   * @param number of the drill, 0 to 99: its clients have hardware addresses of their own
   * @param perSecond messages of all kinds a second
   * @param portOffset of the stack whose listeners it is sent to
   * @param folder for events files and logs
   * @throws IllegalArgumentException for a rate that leaves no room for syslog
   */
  LoadTraffic(String name, int number, int perSecond, Path tocsin, int portOffset, Path folder) {
    if (perSecond < LEAST_PER_SECOND) {
      throw new IllegalArgumentException(
          "%d messages a second are too few beside alert updates and DHCP: set RATE to %d or more"
              .formatted(perSecond, LEAST_PER_SECOND));
    }
    this.name = name;
    this.number = number;
    this.syslogPerSlice = perSecond * SLICE_SECONDS - UPDATES - DHCP_MESSAGES;
    this.tocsin = tocsin;
    this.portOffset = "--port-offset=" + portOffset;
    this.folder = folder;
  }

  /** Begins to send, and returns at once. */
  void start() {
    sending =
        executor.submit(
            () -> {
              while (!isEnding) {
                sendSlice(slices);
                slices++;
              }
              return null;
            });
  }

  /** Ends the traffic after the slice that is being sent; fails where a sender has failed. */
  void end() throws InterruptedException {
    isEnding = true;
    try {
      sending.get();
    } catch (ExecutionException e) {
      throw new AssertionError("sending failed: see " + folder, e.getCause());
    }
  }

  private void sendSlice(int slice) throws IOException, InterruptedException {
    Path file = folder.resolve("%s-%02d.jsonl".formatted(name, slice));
    Files.writeString(file, eventsFile(slice));
    Process events = send(file.toString());
    Process syslog =
        send(
            "--generate=syslog-udp",
            "--count=" + syslogPerSlice,
            "--rate=" + syslogPerSlice / SLICE_SECONDS,
            "--sources=" + SYSLOG_DEVICES,
            "--seed=" + slice);
    try {
      if (Ended.of(events).exitCode() != 0 || Ended.of(syslog).exitCode() != 0) {
        throw new IOException("tocsin send ended with an error: see " + log());
      }
    } finally {
      events.destroy();
      syslog.destroy();
    }
  }

  private Process send(String... arguments) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(tocsin.toString(), "send", portOffset);
    builder.command().addAll(List.of(arguments));
    return builder
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
        .start();
  }

  private Path log() {
    return folder.resolve(name + ".log");
  }

  /** Listener to the number of messages that it was sent. */
  Map<String, Long> sent() {
    return Map.of(
        "syslog-udp", (long) slices * syslogPerSlice,
        "alert-udp", (long) slices * UPDATES,
        "dhcp-udp", (long) slices * DHCP_MESSAGES);
  }

  /** Clients that must have got a lease. */
  long clients() {
    return (long) slices * CLIENTS;
  }

  /** The first part of the clients' hardware addresses. */
  String clientPrefix() {
    return "02:%02x:".formatted(number);
  }

  /** The first part of the alerting devices' names. */
  String devicePrefix() {
    return name + "-";
  }

  /** Every alert's device, and the state that it must end in. */
  Map<String, String> alerts() {
    Map<String, String> states = new TreeMap<>();
    for (int slice = 0; slice < slices; slice++) {
      for (int alert = 0; alert < ALERTS; alert++) {
        states.put(device(slice, alert), isLeftOpen(alert) ? "open" : "resolved");
      }
    }
    return states;
  }

  private static boolean isLeftOpen(int alert) {
    return alert % LEFT_OPEN_EVERY == 0;
  }

  private String device(int slice, int alert) {
    return devicePrefix() + "%02d-%03d".formatted(slice, alert);
  }

  /** Lines in the order of their times. */
  private String eventsFile(int slice) {
    Map<Integer, StringBuilder> lines = new TreeMap<>();
    add(lines, 0, exchanges(slice));
    int lastRaiseMs = SLICE_SECONDS * 1_000 - CLEARED_AFTER_MS;
    for (int alert = 0; alert < ALERTS; alert++) {
      int raisedMs = alert * lastRaiseMs / ALERTS;
      add(lines, raisedMs, update(slice, alert, raisedMs, "update"));
      if (!isLeftOpen(alert)) {
        int clearedMs = raisedMs + CLEARED_AFTER_MS;
        add(lines, clearedMs, update(slice, alert, clearedMs, "delete"));
      }
    }
    return String.join("", lines.values());
  }

  private static void add(Map<Integer, StringBuilder> lines, int offsetMs, String line) {
    lines.computeIfAbsent(offsetMs, offset -> new StringBuilder()).append(line);
  }

  private String exchanges(int slice) {
    return """
        {"offset_ms":0,"exchange":{"messages":["discover","offer","select","ack"],"mac":"%s%02x:00:00:00","ip":"10.%d.%d.1",\
        "server":"10.255.0.1","relay":"10.254.0.%d","clients":%d,"every_ms":%d,"gap_ms":5}}
        """
        .formatted(
            clientPrefix(),
            slice,
            number,
            slice,
            number + 1,
            CLIENTS,
            SLICE_SECONDS * 1_000 / CLIENTS - 1);
  }

  private String update(int slice, int alert, int offsetMs, String action) {
    int group = alert % ALERT_GROUPS;
    return """
        {"offset_ms":%d,"to":"alert-udp","payload":"{\\"action\\":\\"%s\\",\\"source\\":\\"load-%02d\\",\\"device\\":\\"%s\\",\
        \\"check\\":\\"check-%02d\\",\\"severity\\":\\"minor\\",\\"summary\\":\\"number %d\\"}"}
        """
        .formatted(offsetMs, action, group, device(slice, alert), group, alert);
  }

  /** Ends the traffic at once where it is still being sent. */
  @Override
  public void close() {
    isEnding = true;
    executor.shutdownNow();
  }
}
