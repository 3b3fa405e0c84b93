package io.tocsin.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PortsTest {

  @Test
  void defaultsAreThoseOfTheContract() {
    Ports ports = new Ports(0);
    assertThat(ports.byProtocol().keySet())
        .containsExactlyInAnyOrder(
            "tcp/9092",
            "tcp/9091",
            "tcp/8123",
            "tcp/9000",
            "tcp/8081",
            "tcp/9249",
            "tcp/9093",
            "tcp/9095",
            "tcp/9464",
            "tcp/5514",
            "udp/5514",
            "udp/5515",
            "udp/6767",
            "udp/1162");
    assertThat(ports.grafana()).isEqualTo(3000);
  }

  @Test
  void offsetMovesEveryPort() {
    assertThat(new Ports(1000).kafka()).isEqualTo(10_092);
    assertThat(new Ports(1000).byProtocol())
        .doesNotContainKeys(new Ports(0).byProtocol().keySet().toArray(String[]::new));
  }

  @Test
  void offsetThatLeavesTheRangeIsRefused() {
    assertThat(new Ports(Ports.MAX_OFFSET).agentTelemetry()).isEqualTo(65_535);
    assertThatThrownBy(() -> new Ports(Ports.MAX_OFFSET + 1))
        .hasMessageContaining("PORT_OFFSET is 56072");
    assertThatThrownBy(() -> new Ports(-1)).hasMessageContaining("from 0 to 56071");
  }

  @Test
  void preflightLooksAtTheSamePorts() throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
            Tools.find().repository().resolve("deploy/embedded/bin/preflight").toString(),
            "--list-ports");
    builder.environment().put("PORT_OFFSET", "700");
    String list =
        new String(builder.start().getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(Set.copyOf(list.lines().toList())).isEqualTo(new Ports(700).byProtocol().keySet());
  }
}
