package io.tocsin.embedded.scenario;

import com.fasterxml.jackson.databind.JsonNode;

/** What a scenario does to the agent. */
@FunctionalInterface
public interface AgentControl {

  /**
   * Starts the agent again with its usual configuration changed, and returns when it is ready.
   *
   * @param overrides keys of agent.yaml: objects are merged, listeners by name; an empty object
   *     brings the usual configuration back
   */
  void restartAgent(JsonNode overrides);
}
