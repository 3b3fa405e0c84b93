package io.tocsin.embedded.agent;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tocsin.embedded.Ports;
import io.tocsin.embedded.StateFolder;
import io.tocsin.embedded.supervise.Health;
import io.tocsin.embedded.supervise.ServiceSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The agent: {@code tocsin agent} with a generated configuration. */
public final class AgentService {

  /** Name in messages and of the log file. */
  public static final String NAME = "agent";

  private AgentService() {}

  /** Writes {@code agent.yaml} and says how to run it. */
  public static ServiceSpec spec(Ports ports, StateFolder state, Path tocsin, ObjectNode config) {
    try {
      Files.writeString(state.agentConfig(), AgentConfig.yaml(config));
    } catch (IOException e) {
      throw new UncheckedIOException(
          state.agentConfig() + " cannot be written: " + e.getMessage(), e);
    }
    URI health = URI.create("http://127.0.0.1:" + ports.agentTelemetry() + "/health");
    return new ServiceSpec(
        NAME,
        List.of(tocsin.toString(), "agent", "-c", state.agentConfig().toString()),
        Map.of(),
        Health.http(health),
        Duration.ofSeconds(30),
        Duration.ofSeconds(30));
  }

  /** Whether "[::]" can be listened on: some containers have no IPv6. */
  public static boolean hasIpv6() {
    return Files.exists(Path.of("/proc/net/if_inet6"));
  }
}
