package io.tocsin.correlation.findings;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import io.tocsin.events.v1.Event;
import java.io.Serializable;
import java.time.Duration;
import java.util.List;

/**
 * Finding {@code agent-silent}: a dead man's switch. An agent reports once a second; one of which
 * nothing came for thirty seconds is silent, which is repeated each hour, and after days of that
 * taken as removed.
 *
 * <p>Time here is the job's, handed in by the operator, not the events': when the last agent falls
 * silent, event time stands still, and that is when the alert is needed most.
 */
public final class AgentSilentRules implements Serializable {
  private static final long serialVersionUID = 1;
  private static final long SILENT_NANOS = 30 * Nanos.PER_SECOND;
  private static final long REPEAT_NANOS = 3_600 * Nanos.PER_SECOND;

  private final Duration removedAfter;

  /**
   * Rules.
   *
   * @param removedAfter silence after which an agent is taken as removed, and its alert ends
   */
  public AgentSilentRules(Duration removedAfter) {
    this.removedAfter = removedAfter;
  }

  /**
   * Takes a heartbeat. The first one after the job began to read says that the agent is not silent,
   * whatever is known: the run before may have said that it is, and not have kept that.
   *
   * @param known the agent, changed in place; null before its first heartbeat
   * @param startedUnixNanos when the job began to read
   * @param nowUnixNanos when it was read
   */
  public Step<AgentState, Event> onHeartbeat(
      AgentState known, Event event, long startedUnixNanos, long nowUnixNanos) {
    AgentState agent = known == null ? new AgentState() : known;
    boolean wasSilent =
        agent.isSilent || known != null && agent.heartbeatUnixNanos < startedUnixNanos;
    agent.agentId = event.getAgentId();
    agent.site = event.getSite();
    agent.device = event.getDevice();
    agent.heartbeatUnixNanos = nowUnixNanos;
    agent.isSilent = false;
    List<Event> decisions =
        wasSilent
            ? List.of(silent(agent).summary("agent reports again").clear(nowUnixNanos))
            : List.of();
    return new Step<>(agent, decisions, nowUnixNanos + SILENT_NANOS);
  }

  /**
   * Looks whether an agent is silent.
   *
   * @param agent changed in place
   * @param startedUnixNanos when the job began to read: before that nothing could reach it
   */
  public Step<AgentState, Event> onTimer(
      AgentState agent, long startedUnixNanos, long nowUnixNanos) {
    long silentAt = Math.max(agent.heartbeatUnixNanos, startedUnixNanos) + SILENT_NANOS;
    if (agent.isSilent) {
      return whileSilent(agent, nowUnixNanos);
    }
    if (nowUnixNanos < silentAt) {
      return Step.keep(agent, silentAt);
    }
    agent.isSilent = true;
    agent.raisedAtUnixNanos = nowUnixNanos;
    Event raise =
        silent(agent)
            .summary("agent %s has not reported for 30 s", agent.agentId)
            .raise(nowUnixNanos);
    return new Step<>(agent, List.of(raise), repeatedAt(agent));
  }

  /** Nobody says that an agent was taken away: a person who knows need not be paged for ever. */
  private Step<AgentState, Event> whileSilent(AgentState agent, long nowUnixNanos) {
    if (nowUnixNanos < repeatedAt(agent)) {
      return Step.keep(agent, repeatedAt(agent));
    }
    if (nowUnixNanos < removedAt(agent)) {
      agent.raisedAtUnixNanos = nowUnixNanos;
      long hours = (nowUnixNanos - agent.heartbeatUnixNanos) / (3_600 * Nanos.PER_SECOND);
      Finding still =
          silent(agent).summary("agent %s has not reported for %d h", agent.agentId, hours);
      return new Step<>(agent, List.of(still.raise(nowUnixNanos)), repeatedAt(agent));
    }
    Finding removed =
        silent(agent)
            .summary(
                "agent %s has not reported for %d hours and is taken as removed",
                agent.agentId, removedAfter.toHours());
    // The raise carries the words: an alert ends with those of its newest raise.
    return Step.forget(List.of(removed.raise(nowUnixNanos), removed.clear(nowUnixNanos)));
  }

  private long repeatedAt(AgentState agent) {
    return Math.min(removedAt(agent), agent.raisedAtUnixNanos + REPEAT_NANOS);
  }

  private long removedAt(AgentState agent) {
    return agent.heartbeatUnixNanos + removedAfter.toNanos();
  }

  private static Finding silent(AgentState agent) {
    return Finding.of(
            Finding.FINDINGS_JOB,
            "agent-silent",
            Severity.SEVERITY_CRITICAL,
            agent.device,
            agent.site)
        .identity("agent_id", agent.agentId);
  }
}
