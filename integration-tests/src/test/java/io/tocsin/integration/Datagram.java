package io.tocsin.integration;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** One datagram from a socket of its own. */
final class Datagram {
  private Datagram() {}

  /**
   * Sends a text to this machine.
   *
   * @param port of a UDP listener at 127.0.0.1
   */
  static void send(String text, int port) throws IOException {
    send(text, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
  }

  /** Sends a text to a UDP listener. */
  static void send(String text, InetSocketAddress listener) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.send(new DatagramPacket(bytes, bytes.length, listener));
    }
  }
}
