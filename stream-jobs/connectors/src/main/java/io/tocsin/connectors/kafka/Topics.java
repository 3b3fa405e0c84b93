package io.tocsin.connectors.kafka;

import java.util.List;

/** Names of the topics, as in schemas/topics. The suffix is the version of what is on the wire. */
public final class Topics {
  /** Syslog messages. */
  public static final String EVENTS_SYSLOG = "events-syslog-v1";

  /** Alert updates from monitors. */
  public static final String EVENTS_ALERT = "events-alert-v1";

  /** Counters of every listener. */
  public static final String AGENT_STATS = "agent-stats-v1";

  /** What agents refused. */
  public static final String REJECTS = "rejects-v1";

  /** Present state of every alert, compacted. */
  public static final String ALERTS = "alerts-v1";

  /** Every topic whose records are Events. */
  public static final List<String> ALL_EVENTS =
      List.of(EVENTS_SYSLOG, EVENTS_ALERT, AGENT_STATS, REJECTS);

  private Topics() {}
}
