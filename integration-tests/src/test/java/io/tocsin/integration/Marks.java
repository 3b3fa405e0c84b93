package io.tocsin.integration;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Datagrams that can be told apart, and when each was sent: in turn an alert update that opens an
 * alert of its own, and a DHCPDISCOVER of a client of its own. Spread over many sources and checks,
 * so that none belongs to a storm.
 */
final class Marks {
  /** Of each kind, where nobody says otherwise. */
  static final int PER_SECOND = 20;

  /** First part of the alerts' sources. */
  static final String SOURCE = "mark-source";

  /** Sorts behind every marked device. */
  static final String AFTER_ALL_DEVICES = "mark.";

  private static final int GROUPS = 40;
  private static final int RECENT_SECONDS = 30;
  private static final int BOOTP_BYTES = 300;

  private final int alertPort;
  private final int dhcpPort;
  private final int perSecond;
  private final Map<String, Instant> sentAt = new ConcurrentHashMap<>();
  private volatile int number;

  Marks(int alertPort, int dhcpPort) {
    this(alertPort, dhcpPort, PER_SECOND);
  }

  /** The same, so many of each kind a second. */
  Marks(int alertPort, int dhcpPort, int perSecond) {
    this.alertPort = alertPort;
    this.dhcpPort = dhcpPort;
    this.perSecond = perSecond;
  }

  /**
   * Sends for so long.
   *
   * @param areMeasured whether the times are kept
   */
  void send(int seconds, boolean areMeasured) throws IOException, InterruptedException {
    int last = number + seconds * perSecond;
    sendWhile(() -> number < last, areMeasured);
  }

  /** The same as long as a condition holds. */
  void sendWhile(BooleanSupplier condition, boolean areMeasured)
      throws IOException, InterruptedException {
    long intervalNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
    long next = System.nanoTime();
    try (DatagramSocket socket = new DatagramSocket()) {
      while (condition.getAsBoolean()) {
        TimeUnit.NANOSECONDS.sleep(Math.max(0, next - System.nanoTime()));
        next += intervalNanos;
        number++;
        send(socket, alertPort, device(number), update(number), areMeasured);
        send(socket, dhcpPort, mac(number), discover(number), areMeasured);
      }
    }
  }

  private void send(DatagramSocket socket, int port, String mark, byte[] bytes, boolean isMeasured)
      throws IOException {
    if (isMeasured) {
      sentAt.put(mark, Instant.now());
    }
    socket.send(new DatagramPacket(bytes, bytes.length, InetAddress.getLoopbackAddress(), port));
  }

  /** Forgets what was measured; the numbers go on. */
  void clear() {
    sentAt.clear();
  }

  /** When a measured mark was sent, by its device or MAC; null for anything else. */
  Instant sentAt(String mark) {
    return sentAt.get(mark);
  }

  /** How many of a kind were sent and are measured. */
  int measured() {
    return sentAt.size() / 2;
  }

  /** The device of half a minute ago. */
  String recentDevice() {
    return device(Math.max(0, number - RECENT_SECONDS * perSecond));
  }

  private static String device(int number) {
    return "mark-%06d".formatted(number);
  }

  private static String mac(int number) {
    return "02:fe:00:%02x:%02x:%02x"
        .formatted(number >> 16 & 0xff, number >> 8 & 0xff, number & 0xff);
  }

  private static byte[] update(int number) {
    int group = number % GROUPS;
    return """
        {"action":"update","source":"%s-%d","device":"%s","check":"mark-check-%d","severity":"minor","summary":"marked"}"""
        .formatted(SOURCE, group, device(number), group)
        .getBytes(StandardCharsets.UTF_8);
  }

  /** A DHCPDISCOVER that a relay has passed on (RFC 2131 2, RFC 2132 9.6). */
  private static byte[] discover(int number) {
    ByteBuffer packet = ByteBuffer.allocate(BOOTP_BYTES);
    packet.put(new byte[] {1, 1, 6, 1}).putInt(number);
    packet.position(24).put(new byte[] {10, (byte) 254, 9, 1});
    packet.put(new byte[] {2, (byte) 0xfe, 0, (byte) (number >> 16)}).putShort((short) number);
    packet.position(236).put(new byte[] {99, (byte) 130, 83, 99, 53, 1, 1, (byte) 255});
    return packet.array();
  }
}
