package io.tocsin.connectors.kafka;

import java.util.List;
import java.util.Set;

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

  /** Transitions and present state of every alert, compacted. */
  public static final String ALERTS = "alerts-v1";

  /** What people say of alerts. */
  public static final String ACKNOWLEDGEMENTS = "acknowledgements-v1";

  /** DHCP messages. */
  public static final String EVENTS_DHCP = "events-dhcp-v1";

  /** SNMP traps and informs. */
  public static final String EVENTS_SNMP = "events-snmp-v1";

  /** Interface counters and gauges. */
  public static final String EVENTS_COUNTERS = "events-counters-v1";

  /** WAN probes. */
  public static final String EVENTS_PROBE = "events-probe-v1";

  /** Rules, dependencies and maintenance windows in force, compacted. */
  public static final String RULES = "rules-v1";

  /** Transitions and present state of every device on the network, compacted. */
  public static final String REGISTRATIONS = "registrations-v1";

  /** Who is registered, compacted. */
  public static final String DEVICES = "devices-v1";

  /** Episodes of WAN links. */
  public static final String WAN_EPISODES = "wan-episodes-v1";

  /** How long DHCP servers took to answer. */
  public static final String LEASE_LATENCIES = "lease-latencies-v1";

  /** Where a record without a value says that its key is forgotten. */
  static final Set<String> COMPACTED = Set.of(ALERTS, REGISTRATIONS, DEVICES, RULES);

  /** Every topic whose records become rows: events, and what the correlation jobs tell. */
  public static final List<String> ARCHIVED =
      List.of(
          EVENTS_SYSLOG,
          EVENTS_ALERT,
          EVENTS_DHCP,
          EVENTS_SNMP,
          EVENTS_COUNTERS,
          EVENTS_PROBE,
          AGENT_STATS,
          REJECTS,
          ALERTS,
          REGISTRATIONS,
          WAN_EPISODES,
          LEASE_LATENCIES);

  private Topics() {}
}
