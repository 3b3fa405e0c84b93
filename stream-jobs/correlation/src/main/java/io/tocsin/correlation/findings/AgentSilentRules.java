package io.tocsin.correlation.findings;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.events.v1.Event;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Finding {@code agent_silent}: a dead man's switch. An agent reports once a second; one of which
 * nothing came for thirty seconds is silent.
 *
 * <p>Time here is the job's, handed in by the operator, not the events': when the last agent falls
 * silent, event time stands still, and that is when the alert is needed most.
 */
public final class AgentSilentRules {
  private static final long SILENT_NANOS = 30_000_000_000L;

  /**
   * Takes a heartbeat.
   *
   * @param agent changed in place
   * @param nowUnixNanos when it was read
   */
  public Answer onHeartbeat(HeardAgent agent, Event event, long nowUnixNanos) {
    boolean wasSilent = agent.isSilent;
    agent.site = event.getSite();
    agent.device = event.getDevice();
    agent.heardAtUnixNanos = nowUnixNanos;
    agent.isSilent = false;
    OptionalLong timer = OptionalLong.of(nowUnixNanos + SILENT_NANOS);
    return wasSilent
        ? new Answer(
            List.of(alert(agent, event.getAgentId()).clear("agent reports again", nowUnixNanos)),
            timer)
        : new Answer(List.of(), timer);
  }

  /**
   * Looks whether an agent is silent.
   *
   * @param listeningSinceUnixNanos when the job began to read: before that it could hear nobody
   */
  public Answer onTimer(
      HeardAgent agent, String agentId, long listeningSinceUnixNanos, long nowUnixNanos) {
    long since = Math.max(agent.heardAtUnixNanos, listeningSinceUnixNanos);
    if (agent.isSilent) {
      return Answer.silent();
    }
    if (nowUnixNanos < since + SILENT_NANOS) {
      return Answer.at(since + SILENT_NANOS);
    }
    agent.isSilent = true;
    String summary = "agent " + agentId + " has not reported for 30 s";
    return new Answer(
        List.of(alert(agent, agentId).raise(Severity.SEVERITY_CRITICAL, summary, nowUnixNanos)),
        OptionalLong.empty());
  }

  private static FindingAlert alert(HeardAgent agent, String agentId) {
    return new FindingAlert(
        "agent_silent", agent.device, agent.site, "agent_id", Map.of("agent_id", agentId));
  }
}
