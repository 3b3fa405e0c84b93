package io.tocsin.correlation.findings;

import io.tocsin.correlation.TimedState;

/** One agent; forgotten when it is taken as removed. */
public final class AgentState extends TimedState {
  /** Name of the agent. */
  public String agentId = "";

  /** Place of the agent. */
  public String site = "";

  /** Host of the agent. */
  public String device = "";

  /** When the newest heartbeat came, Unix nanoseconds of this job's clock. */
  public long heartbeatUnixNanos;

  /** Whether the alert is raised. */
  public boolean isSilent;

  /** When it was raised last, Unix nanoseconds of this job's clock. */
  public long raisedAtUnixNanos;

  /** For Flink, which makes it by its fields. */
  public AgentState() {}
}
