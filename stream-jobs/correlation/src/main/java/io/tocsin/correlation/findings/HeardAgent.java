package io.tocsin.correlation.findings;

/** One agent; bounded by the agents that an installation has had. */
public final class HeardAgent {
  /** Place of the agent. */
  public String site = "";

  /** Host of the agent. */
  public String device = "";

  /** When the newest heartbeat came, Unix nanoseconds of this job's clock. */
  public long heardAtUnixNanos;

  /** Whether the alert is raised. */
  public boolean isSilent;

  /** For Flink, which makes it by its fields. */
  public HeardAgent() {}
}
