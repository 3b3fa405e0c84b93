package io.tocsin.embedded.agent;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.tocsin.embedded.Ports;
import java.util.Map;

/** The agent's configuration in the embedded stack, and how a scenario changes it. */
public final class AgentConfig {

  private static final YAMLMapper YAML =
      new YAMLMapper(
          YAMLFactory.builder()
              .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
              .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
              .build());

  private AgentConfig() {}

  /**
   * The default listeners on this stack's ports. Everything else keeps the agent's own defaults.
   *
   * @param hasIpv6 whether the machine can listen on "[::]"
   */
  public static ObjectNode generate(Ports ports, boolean hasIpv6) {
    ObjectNode config = YAML.createObjectNode();
    config.putObject("kafka").put("bootstrap_servers", "127.0.0.1:" + ports.kafka());
    config.putObject("telemetry").put("listen", "127.0.0.1:" + ports.agentTelemetry());
    ArrayNode listeners = config.putArray("listeners");
    String anyAddress = hasIpv6 ? "[::]:" : "0.0.0.0:";
    listener(listeners, "syslog-udp", "syslog", "udp", anyAddress + ports.syslog());
    listener(listeners, "syslog-tcp", "syslog", "tcp", anyAddress + ports.syslog());
    listener(listeners, "alert-udp", "alert", "udp", anyAddress + ports.alertUpdates());
    listener(listeners, "dhcp-udp", "dhcp", "udp", anyAddress + ports.dhcp());
    listener(listeners, "snmp-udp", "snmp", "udp", anyAddress + ports.snmp());
    return config;
  }

  private static void listener(
      ArrayNode listeners, String name, String kind, String transport, String listen) {
    listeners
        .addObject()
        .put("name", name)
        .put("kind", kind)
        .put("transport", transport)
        .put("listen", listen);
  }

  /**
   * {@code base} with {@code overrides} on top: objects key by key, listeners by name, everything
   * else replaced as a whole. A listener that the base does not have is added.
   */
  public static ObjectNode merge(ObjectNode base, JsonNode overrides) {
    ObjectNode merged = base.deepCopy();
    for (Map.Entry<String, JsonNode> override : overrides.properties()) {
      JsonNode old = merged.get(override.getKey());
      JsonNode value = override.getValue();
      if (override.getKey().equals("listeners")
          && old instanceof ArrayNode listeners
          && value.isArray()) {
        value.forEach(listener -> mergeListener(listeners, listener));
      } else if (old instanceof ObjectNode object && value.isObject()) {
        merged.set(override.getKey(), merge(object, value));
      } else {
        merged.set(override.getKey(), value.deepCopy());
      }
    }
    return merged;
  }

  private static void mergeListener(ArrayNode listeners, JsonNode override) {
    for (int index = 0; index < listeners.size(); index++) {
      if (listeners.get(index).path("name").equals(override.path("name"))) {
        listeners.set(index, merge((ObjectNode) listeners.get(index), override));
        return;
      }
    }
    listeners.add(override.deepCopy());
  }

  /** As the text of {@code agent.yaml}. */
  public static String yaml(ObjectNode config) {
    try {
      return YAML.writeValueAsString(config);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
