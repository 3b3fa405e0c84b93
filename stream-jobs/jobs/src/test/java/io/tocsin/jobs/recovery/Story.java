package io.tocsin.jobs.recovery;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.connectors.kafka.Topics;
import io.tocsin.events.v1.Dhcp.MessageType;
import io.tocsin.events.v1.Event;
import io.tocsin.registrations.v1.Access;
import io.tocsin.registrations.v1.Device;
import io.tocsin.testsupport.DhcpEvents;
import io.tocsin.testsupport.TestEvents;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A minute and a half of a network by random numbers, and where it ends: updates of a monitor and
 * lines that a rule reads, both late and repeated; clients that come, renew, leave or fall silent,
 * shown by a capture, a relay and a log; links that go down alone and together. Most alerts end, so
 * that no storm is left.
 */
final class Story {
  /**
   * Opens by a line of syslog and clears by a trap, which another partition of another topic has.
   */
  static final String RULE =
      """
      kind: rule
      name: recovery-line
      fingerprint: [device]
      expires: never
      summary: "{device} is down"
      clauses:
        - signal: raise
          syslog: { app_name: recovery, pattern: 'down' }
        - signal: clear
          trap: { notification: [1.3.6.1.6.3.1.1.5.4] }
      """;

  /** The first device is the way to the second. */
  static final String DEPENDENCY =
      """
      kind: dependency
      name: recovery-way
      alerts: {device: d1.*}
      upstreams: [{device: d0.*}]
      """;

  /** More than so many openings at once are a storm. */
  static final int STORM_OPENS = 4;

  private static final int SECONDS = 90;

  private static final int DEVICES = 12;
  private static final int LEFT_OPEN = 2;
  private static final int LINE_DEVICES = 8;
  private static final int PLACES = 4;
  private static final int SIGNALS = 80;
  private static final int CLIENTS = 12;
  private static final int REFUSED_CLIENTS = 8;

  private final Random random;
  private final String name;
  private final int number;
  private final Instant start;
  private final List<Sending> sendings = new ArrayList<>();
  private final Map<String, Boolean> isOpen = new TreeMap<>();
  private final Map<String, String> registrations = new TreeMap<>();
  private final Set<String> episodes = new TreeSet<>();
  private int events;

  /**
   * Makes one.
   *
   * @param number tells its devices from those of other stories
   */
  Story(Random random, int number, Instant start) {
    this.random = random;
    this.number = number;
    this.name = "w" + number;
    this.start = start;
    updates();
    lines();
    clients();
    refusals();
    links();
    heartbeats();
    sendings.sort(Comparator.comparing(Sending::at));
  }

  /**
   * A record of a topic.
   *
   * @param key null for one to each partition
   */
  record Sending(Instant at, String topic, String key, byte[] value) {}

  /** All of it, in order. */
  List<Sending> sendings() {
    return sendings;
  }

  /** Alerts that are active at its end, and whether each of them pages. */
  Map<String, Boolean> isPaging() {
    return isOpen;
  }

  /** Where each client stands at its end, by MAC. */
  Map<String, String> registrations() {
    return registrations;
  }

  /** Every episode of every link, as the topic leaves it. */
  Set<String> episodes() {
    return episodes;
  }

  private Instant at(double second) {
    return start.plusNanos((long) (second * 1e9));
  }

  private void send(String topic, String key, Event event, Instant receivedAt) {
    sendings.add(new Sending(receivedAt, topic, key, event.toByteArray()));
  }

  private String nextEventId() {
    return name + "-" + events++;
  }

  /** Times of signals are distinct: at equal ones the order of arrival decides. */
  private void updates() {
    Map<String, Boolean> last = new TreeMap<>();
    Map<String, Instant> newest = new TreeMap<>();
    for (int i = 0; i < SIGNALS; i++) {
      double second = 1 + (SECONDS - 20.0) * i / SIGNALS;
      String device = "d" + random.nextInt(DEVICES) + "." + name;
      Instant receivedAt = at(second);
      Instant happenedAt =
          random.nextInt(4) == 0 ? at(second - 4 * random.nextDouble()) : receivedAt;
      boolean isRaise = random.nextInt(5) < 3;
      update(device, isRaise, happenedAt, receivedAt, random.nextInt(12) == 0);
      if (!newest.containsKey(device) || happenedAt.isAfter(newest.get(device))) {
        newest.put(device, happenedAt);
        last.put(device, isRaise);
      }
    }
    for (int i = LEFT_OPEN; i < DEVICES; i++) {
      String device = "d" + i + "." + name;
      update(device, false, at(SECONDS - 15 + i), at(SECONDS - 15 + i), false);
      last.put(device, false);
    }
    String way = "d0." + name;
    String behind = "d1." + name;
    boolean isExplained = last.getOrDefault(way, false);
    last.forEach(
        (device, isRaised) -> {
          if (isRaised) {
            isOpen.put(
                "monitor-%s %s check-%s".formatted(name, device, name),
                !(device.equals(behind) && isExplained));
          }
        });
  }

  private void update(
      String device, boolean isRaise, Instant happenedAt, Instant receivedAt, boolean isRepeated) {
    Event event =
        isRaise
            ? TestEvents.raise(events, happenedAt, severity())
            : TestEvents.clear(events, happenedAt);
    Event.Builder update = event.toBuilder().setDevice(device).setEventId(nextEventId());
    update.setReceivedAtUnixNanos(nanos(receivedAt));
    update.getAlertUpdateBuilder().setSource("monitor-" + name).setCheck("check-" + name);
    send(Topics.EVENTS_ALERT, device, update.build(), receivedAt);
    if (isRepeated) {
      send(Topics.EVENTS_ALERT, device, update.build(), receivedAt.plusMillis(500));
    }
  }

  private Severity severity() {
    return random.nextInt(4) == 0 ? Severity.SEVERITY_CRITICAL : Severity.SEVERITY_MAJOR;
  }

  private static long nanos(Instant time) {
    return time.getEpochSecond() * 1_000_000_000 + time.getNano();
  }

  private void lines() {
    for (int i = 0; i < LINE_DEVICES; i++) {
      String device = "l" + i + "." + name;
      boolean isDown = false;
      for (double second = 1; second < SECONDS - 5; second += 1 + random.nextInt(20)) {
        isDown = random.nextBoolean();
        line(device, isDown, second);
      }
      if (isDown && i < LEFT_OPEN) {
        isOpen.put("recovery-line %s recovery-line".formatted(device), true);
      } else {
        line(device, false, SECONDS - 4);
      }
    }
  }

  private void line(String device, boolean isDown, double second) {
    Event.Builder event =
        (isDown ? TestEvents.syslog(events, at(second)) : TestEvents.snmpTrap(events, at(second)))
            .toBuilder().setDevice(device).setEventId(nextEventId());
    if (isDown) {
      event.getSyslogBuilder().setAppName("recovery").setMessage("down");
    } else {
      event.getSnmpTrapBuilder().setTrapOid("1.3.6.1.6.3.1.1.5.4");
    }
    send(isDown ? Topics.EVENTS_SYSLOG : Topics.EVENTS_SNMP, device, event.build(), at(second));
  }

  private void clients() {
    for (int i = 0; i < CLIENTS; i++) {
      String mac = "02:00:%02x:%02x:00:%02x".formatted(number / 256, number % 256, i);
      String ip = "10.%d.%d.%d".formatted(number / 256, number % 256, 10 + i);
      boolean isRegistered = random.nextBoolean();
      if (isRegistered) {
        Device device = Device.newBuilder().setMac(mac).setAccess(Access.ACCESS_ALLOWED).build();
        sendings.add(
            new Sending(at(random.nextInt(SECONDS)), Topics.DEVICES, mac, device.toByteArray()));
      }
      String state = client(mac, ip, 1 + random.nextInt(40) + random.nextDouble());
      registrations.put(mac, state + (isRegistered ? " ALLOWED" : " BLOCKED"));
    }
  }

  private String client(String mac, String ip, double second) {
    DhcpEvents brief = new DhcpEvents(mac, ip, 25);
    DhcpEvents lasting = new DhcpEvents(mac, ip, 3_600);
    DhcpEvents first = random.nextBoolean() ? brief : lasting;
    tell(first.discover(at(second)));
    tell(first.offer(at(second + 0.01)));
    tell(first.select(at(second + 0.02)));
    tell(first.ack(at(second + 0.03)));
    double later = second + 12 + 10 * random.nextDouble();
    switch (random.nextInt(4)) {
      case 0 -> {
        tell(first.transaction(2).release(at(later)));
        return "RELEASED";
      }
      case 1 -> {
        tell(lasting.transaction(2).renew(at(later)));
        tell(lasting.ack(at(later + 0.01)));
        return "BOUND";
      }
      case 2 -> {
        tell(first.transaction(2).rebind(at(later)));
        return first == brief ? "EXPIRED" : "REBINDING";
      }
      default -> {
        return first == brief ? "EXPIRED" : "BOUND";
      }
    }
  }

  /** By a capture, and as it happens by a relay and by the server's log. */
  private void tell(Event captured) {
    Instant time = Instant.ofEpochSecond(0, captured.getEventTimeUnixNanos());
    dhcp(captured, time);
    if (random.nextInt(3) == 0) {
      dhcp(DhcpEvents.relayed(captured, time.plusMillis(2)), time.plusMillis(2));
    }
    if (random.nextInt(3) == 0) {
      dhcp(DhcpEvents.logged(captured, time.plusMillis(100)), time.plusMillis(100));
    }
  }

  private void dhcp(Event event, Instant receivedAt) {
    Event own = event.toBuilder().setEventId(nextEventId()).build();
    send(Topics.EVENTS_DHCP, own.getDhcp().getMac(), own, receivedAt);
  }

  /** Many clients of another link are refused: a finding that ends. */
  private void refusals() {
    for (int i = 0; i < REFUSED_CLIENTS * 4; i++) {
      String mac =
          "02:00:%02x:%02x:01:%02x".formatted(number / 256, number % 256, i % REFUSED_CLIENTS);
      DhcpEvents client = new DhcpEvents(mac, "10.250.0.9", 60).transaction(i);
      Instant time = at(20 + 0.7 * i);
      for (MessageType type :
          List.of(MessageType.MESSAGE_TYPE_REQUEST, MessageType.MESSAGE_TYPE_NAK)) {
        Event event =
            client.message(
                type, time, dhcp -> dhcp.setServer("refuser." + name).setRelay("10.250.0.1"));
        dhcp(event, time);
      }
    }
  }

  private void links() {
    for (int i = 0; i < PLACES; i++) {
      int together = 10 + random.nextInt(50);
      int back = random.nextInt(4) == 0 ? SECONDS + 1 : together + 15 + random.nextInt(10);
      link("a%d-0".formatted(i), "a" + i, together, back, "REMOTE_UNREACHABLE");
      link("a%d-1".formatted(i), "a" + i, together, back, "REMOTE_UNREACHABLE");
    }
    int alone = 10 + random.nextInt(20);
    link("b0", "b", alone, alone + 15, "UNEXPLAINED");
    link("b1", "b", alone + 25, alone + 40, "UNEXPLAINED");
    link("c0", "c", SECONDS + 1, SECONDS + 1, "");
  }

  /** A link that is down between two seconds, over which it may not come. */
  private void link(String link, String place, int downAt, int upAt, String cause) {
    String device = "edge-" + link + "." + name;
    String id = link + "." + name;
    for (int second = 1; second <= SECONDS; second++) {
      boolean isDown = second >= downAt && second < upAt;
      Instant time = at(second);
      Event.Builder probe =
          (isDown
                  ? TestEvents.lostProbe(events, time)
                  : TestEvents.probe(events, time, 30 + second % 3))
              .toBuilder().setDevice(device).setEventId(nextEventId());
      probe.getLinkProbeBuilder().setLinkId(id).setRemoteSite(place + "." + name);
      send(Topics.EVENTS_PROBE, id, probe.build(), time.plusMillis(isDown ? 900 : 30));
    }
    if (downAt <= SECONDS) {
      boolean isOver = upAt <= SECONDS;
      episodes.add("%s DOWN %s %s".formatted(id, isOver ? "CLOSED" : "OPEN", cause));
      if (!isOver) {
        isOpen.put("tocsin-wan %s wan-down".formatted(device), true);
      }
    }
  }

  private void heartbeats() {
    for (int second = 0; second <= SECONDS; second++) {
      for (String topic : timed()) {
        sendings.add(heartbeat(topic, at(second)));
      }
    }
  }

  /** Topics that time is told on; probes tell it themselves. */
  private static List<String> timed() {
    return List.of(
        Topics.AGENT_STATS,
        Topics.EVENTS_ALERT,
        Topics.EVENTS_SYSLOG,
        Topics.EVENTS_SNMP,
        Topics.EVENTS_COUNTERS,
        Topics.EVENTS_DHCP);
  }

  /** Time goes on after the end, until it is the present. */
  List<Sending> after(double second, Instant present) {
    Instant then = at(SECONDS + second);
    Instant time = then.isBefore(present) ? then : present;
    List<Sending> sendings = new ArrayList<>();
    timed().forEach(topic -> sendings.add(heartbeat(topic, time)));
    sendings.add(heartbeat(Topics.EVENTS_PROBE, time));
    return sendings;
  }

  private Sending heartbeat(String topic, Instant time) {
    Event event = TestEvents.agentStats(events, time).toBuilder().setEventId(nextEventId()).build();
    return new Sending(time, topic, null, event.toByteArray());
  }
}
