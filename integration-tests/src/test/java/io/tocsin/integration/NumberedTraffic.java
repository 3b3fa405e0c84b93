package io.tocsin.integration;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Steady numbered datagrams, syslog and alert updates in turn, that go on while the receiver is
 * away: the socket is not connected, so an ICMP "port unreachable" does not end it. Closing it ends
 * the traffic.
 */
final class NumberedTraffic implements AutoCloseable {
  private static final int ALERT_UPDATE_EVERY = 5;

  private final String name;
  private final InetSocketAddress syslog;
  private final InetSocketAddress alertUpdates;
  private final DatagramSocket socket;
  private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
  private final ScheduledFuture<?> sending;
  private final AtomicInteger sent = new AtomicInteger();
  private volatile IOException failure;

  /**
   * Starts sending to 127.0.0.1, by the name "drill".
   *
   * @param syslogPort of the UDP syslog listener
   * @param alertPort of the alert-update listener
   * @param perSecond datagrams a second
   */
  NumberedTraffic(int syslogPort, int alertPort, int perSecond) throws SocketException {
    this(
        "drill",
        new InetSocketAddress(InetAddress.getLoopbackAddress(), syslogPort),
        new InetSocketAddress(InetAddress.getLoopbackAddress(), alertPort),
        perSecond);
  }

  /**
   * Starts sending.
   *
   * @param name app_name of the lines, and source of the updates
   * @param syslog UDP syslog listener
   * @param alertUpdates listener of alert updates
   * @param perSecond datagrams a second
   */
  NumberedTraffic(
      String name, InetSocketAddress syslog, InetSocketAddress alertUpdates, int perSecond)
      throws SocketException {
    this.name = name;
    this.syslog = syslog;
    this.alertUpdates = alertUpdates;
    socket = new DatagramSocket();
    sending =
        executor.scheduleAtFixedRate(
            this::sendNext, 0, TimeUnit.SECONDS.toMicros(1) / perSecond, TimeUnit.MICROSECONDS);
  }

  /**
   * Ends the traffic; fails when sending had failed in between.
   *
   * @return datagrams sent, whether or not somebody received them
   */
  int end() {
    close();
    return sent.get();
  }

  private void sendNext() {
    int number = sent.incrementAndGet();
    try {
      if (number % ALERT_UPDATE_EVERY == 0) {
        String action = number % (2 * ALERT_UPDATE_EVERY) == 0 ? "update" : "delete";
        send(
            alertUpdates,
            """
            {"action":"%s","source":"%s","device":"d%02d","check":"c","severity":"minor","summary":"number %d"}"""
                .formatted(action, name, number % 50, number));
      } else {
        send(syslog, "<134>1 - d%02d %s - - - number %d".formatted(number % 50, name, number));
      }
    } catch (IOException e) {
      failure = e;
      // Ends the schedule.
      throw new UncheckedIOException(e);
    }
  }

  private void send(InetSocketAddress target, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    socket.send(new DatagramPacket(bytes, bytes.length, target));
  }

  @Override
  public void close() {
    sending.cancel(false);
    executor.shutdown();
    try {
      if (!executor.awaitTermination(10, TimeUnit.SECONDS)) {
        throw new AssertionError("the sender did not end within 10 s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    socket.close();
    if (failure != null) {
      throw new AssertionError("sending failed after " + sent + " datagrams", failure);
    }
  }
}
