package io.tocsin.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;

class FreePortsTest {

  @Test
  void nobodyGetsPortsThatAreReserved() {
    assertThat(FreePorts.reserve().offset()).isNotEqualTo(FreePorts.reserve().offset());
  }

  @Test
  void portsOfWhichOneIsInUseArePassedOver() throws IOException {
    Ports next = new Ports(FreePorts.reserve().offset() + 100);
    try (DatagramSocket listener = new DatagramSocket(null)) {
      bindUnlessAnotherStackHas(listener, next.snmp());
      assertThat(FreePorts.reserve().offset()).isNotEqualTo(next.offset());
    }
  }

  @Test
  void portIsFreeUntilSomebodyListens() throws IOException {
    Ports ports = FreePorts.reserve();
    String kafka = "tcp/" + ports.kafka();
    assertThat(FreePorts.isFree(kafka)).isTrue();
    try (ServerSocket listener = new ServerSocket(ports.kafka())) {
      assertThat(FreePorts.isFree(kafka)).as("beside %s", listener).isFalse();
    }
  }

  private static void bindUnlessAnotherStackHas(DatagramSocket socket, int port)
      throws IOException {
    try {
      socket.bind(new InetSocketAddress(port));
    } catch (BindException e) {
      assertThat(FreePorts.isFree("udp/" + port)).isFalse();
    }
  }
}
