package io.tocsin.embedded.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.tocsin.embedded.Ports;
import org.junit.jupiter.api.Test;

class AgentConfigTest {

  private static final YAMLMapper YAML = new YAMLMapper();

  private static ObjectNode yaml(String text) throws JsonProcessingException {
    return (ObjectNode) YAML.readTree(text);
  }

  @Test
  void generatedConfigHasTheListenersOnTheStacksPorts() throws JsonProcessingException {
    ObjectNode config = AgentConfig.generate(new Ports(1000), true);
    assertThat(config)
        .isEqualTo(
            yaml(
                """
                kafka: {bootstrap_servers: "127.0.0.1:10092"}
                telemetry: {listen: "127.0.0.1:10464"}
                listeners:
                  - {name: syslog-udp, kind: syslog, transport: udp, listen: "[::]:6514"}
                  - {name: syslog-tcp, kind: syslog, transport: tcp, listen: "[::]:6514"}
                  - {name: alert-udp, kind: alert, transport: udp, listen: "[::]:6515"}
                  - {name: dhcp-udp, kind: dhcp, transport: udp, listen: "[::]:7767"}
                  - {name: snmp-udp, kind: snmp, transport: udp, listen: "[::]:2162"}
                """));
    assertThat(yaml(AgentConfig.yaml(config))).isEqualTo(config);
  }

  @Test
  void machineWithoutIpv6ListensOnIpv4() {
    assertThat(AgentConfig.generate(new Ports(0), false).at("/listeners/0/listen").asText())
        .isEqualTo("0.0.0.0:5514");
  }

  @Test
  void overridesAreMergedKeyByKeyAndListenersByName() throws JsonProcessingException {
    ObjectNode base =
        yaml(
            "{kafka: {linger: 5ms, compression: lz4}, listeners: [{name: a, listen: x}, {name: b, listen: y}]}");
    ObjectNode overrides =
        yaml(
            "{agent_id: other, kafka: {linger: 1ms}, listeners: [{name: b, receive_buffer: 2304}, {name: c, listen: z}]}");
    assertThat(AgentConfig.merge(base, overrides))
        .isEqualTo(
            yaml(
                """
                kafka: {linger: 1ms, compression: lz4}
                listeners: [{name: a, listen: x}, {name: b, listen: y, receive_buffer: 2304}, {name: c, listen: z}]
                agent_id: other
                """));
  }

  @Test
  void mergingLeavesTheBaseAsItWas() throws JsonProcessingException {
    ObjectNode base = yaml("{listeners: [{name: a, listen: x}]}");
    AgentConfig.merge(base, yaml("{listeners: [{name: a, listen: y}]}"));
    assertThat(base).isEqualTo(yaml("{listeners: [{name: a, listen: x}]}"));
  }
}
