package io.tocsin.integration;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
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
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.send(new DatagramPacket(bytes, bytes.length, InetAddress.getLoopbackAddress(), port));
    }
  }
}
