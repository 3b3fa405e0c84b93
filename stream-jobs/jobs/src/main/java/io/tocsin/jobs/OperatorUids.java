package io.tocsin.jobs;

import java.util.Set;

/**
 * The uid of every operator of every job, in one place. State in checkpoints is found again by uid:
 * never change or reuse one that has been released. A test holds each job's graph against {@link
 * #ALL}.
 */
public final class OperatorUids {
  /** Archive: all event topics. */
  public static final String ARCHIVE_EVENTS_SOURCE = "archive-events-source";

  /** Archive: rows to ClickHouse. */
  public static final String ARCHIVE_CLICKHOUSE_SINK = "archive-clickhouse-sink";

  /** Alerts: alert updates from Kafka. */
  public static final String ALERTS_EVENTS_SOURCE = "alerts-events-source";

  /** Alerts: makes signals of alert updates. */
  public static final String ALERTS_UPDATE_SIGNALS = "alerts-update-signals";

  /**
   * Alerts: makes signals of events by rules, with the rules and the figures beyond a threshold.
   */
  public static final String ALERTS_RULE_SIGNALS = "alerts-rule-signals";

  /** Alerts: the rules, with the state of every fingerprint. */
  public static final String ALERTS_RULES = "alerts-rules";

  /** Alerts: rules, maintenance windows and dependencies from Kafka. */
  public static final String ALERTS_DOCUMENTS_SOURCE = "alerts-documents-source";

  /** Alerts: who pages, with every active alert as state. */
  public static final String ALERTS_GATE = "alerts-gate";

  /** Alerts: transitions to Kafka. */
  public static final String ALERTS_TRANSITIONS_SINK = "alerts-transitions-sink";

  /** Alerts: transitions to ClickHouse. */
  public static final String ALERTS_HISTORY_SINK = "alerts-history-sink";

  /** Paging: transitions from Kafka. */
  public static final String PAGING_ALERTS_SOURCE = "paging-alerts-source";

  /** Paging: what to post when, with every open alert as state. */
  public static final String PAGING_RESEND = "paging-resend";

  /** Paging: posts to Alertmanager. */
  public static final String PAGING_ALERTMANAGER_SINK = "paging-alertmanager-sink";

  /** Registrations: DHCP messages and the agents' counters from Kafka. */
  public static final String REGISTRATIONS_EVENTS_SOURCE = "registrations-events-source";

  /** Registrations: keeps what is a DHCP message. */
  public static final String REGISTRATIONS_DHCP_FILTER = "registrations-dhcp-filter";

  /** Registrations: the register from Kafka. */
  public static final String REGISTRATIONS_DEVICES_SOURCE = "registrations-devices-source";

  /** Registrations: the rules, with the state of every client. */
  public static final String REGISTRATIONS_RULES = "registrations-rules";

  /** Registrations: transitions to Kafka. */
  public static final String REGISTRATIONS_TRANSITIONS_SINK = "registrations-transitions-sink";

  /** Registrations: transitions to ClickHouse. */
  public static final String REGISTRATIONS_HISTORY_SINK = "registrations-history-sink";

  /** Registrations: keeps the answers of servers, as rows. */
  public static final String REGISTRATIONS_ANSWERS_ROWS = "registrations-answers-rows";

  /** Registrations: latency of each answer to ClickHouse. */
  public static final String REGISTRATIONS_ANSWERS_SINK = "registrations-answers-sink";

  /** Registrations: observations for renewals. */
  public static final String REGISTRATIONS_RENEWALS_FILTER = "registrations-renewals-filter";

  /** Registrations: rebind share and renewal waves, each server and scope. */
  public static final String REGISTRATIONS_RENEWALS_RULES = "registrations-renewals-rules";

  /** Registrations: observations for refusals. */
  public static final String REGISTRATIONS_REFUSALS_FILTER = "registrations-refusals-filter";

  /** Registrations: NAK storms, each server and scope. */
  public static final String REGISTRATIONS_REFUSALS_RULES = "registrations-refusals-rules";

  /** Registrations: observations for latencies. */
  public static final String REGISTRATIONS_LATENCIES_FILTER = "registrations-latencies-filter";

  /** Registrations: latency of offers and acknowledgements, each server. */
  public static final String REGISTRATIONS_LATENCIES_RULES = "registrations-latencies-rules";

  /** Registrations: observations for links. */
  public static final String REGISTRATIONS_LINKS_FILTER = "registrations-links-filter";

  /** Registrations: discovers without an answer and exhausted pools, each link. */
  public static final String REGISTRATIONS_LINKS_RULES = "registrations-links-rules";

  /** Registrations: observations for peers. */
  public static final String REGISTRATIONS_PEERS_FILTER = "registrations-peers-filter";

  /** Registrations: rogue servers and failover peers, each link. */
  public static final String REGISTRATIONS_PEERS_RULES = "registrations-peers-rules";

  /** Registrations: observations for addresses. */
  public static final String REGISTRATIONS_ADDRESSES_FILTER = "registrations-addresses-filter";

  /** Registrations: conflicts and moves of addresses, each address. */
  public static final String REGISTRATIONS_ADDRESSES_RULES = "registrations-addresses-rules";

  /** Registrations: observations for circuits. */
  public static final String REGISTRATIONS_CIRCUITS_FILTER = "registrations-circuits-filter";

  /** Registrations: moves between circuits, each MAC. */
  public static final String REGISTRATIONS_CIRCUITS_RULES = "registrations-circuits-rules";

  /** Registrations: what servers complain of in their logs. */
  public static final String REGISTRATIONS_COMPLAINTS_FILTER = "registrations-complaints-filter";

  /** Registrations: findings to Kafka. */
  public static final String REGISTRATIONS_FINDINGS_SINK = "registrations-findings-sink";

  /** WAN: probes, counters, syslog and heartbeats from Kafka. */
  public static final String WAN_EVENTS_SOURCE = "wan-events-source";

  /** WAN: keeps what concerns links. */
  public static final String WAN_EVENTS_FILTER = "wan-events-filter";

  /** WAN: the rules for links, with the state of every link. */
  public static final String WAN_LINKS = "wan-links";

  /** WAN: the rules for remote sites, with every episode that lasts. */
  public static final String WAN_REMOTE_SITES = "wan-remote-sites";

  /** WAN: transitions of episodes to Kafka. */
  public static final String WAN_EPISODES_SINK = "wan-episodes-sink";

  /** WAN: alert updates to Kafka. */
  public static final String WAN_ALERTS_SINK = "wan-alerts-sink";

  /** WAN: transitions of episodes to ClickHouse. */
  public static final String WAN_TABLE_SINK = "wan-table-sink";

  /** Findings: syslog, traps, gauges and heartbeats from Kafka. */
  public static final String FINDINGS_EVENTS_SOURCE = "findings-events-source";

  /** Findings: keeps what routers say of gateway groups. */
  public static final String FINDINGS_GATEWAY_CLAIMS = "findings-gateway-claims";

  /** Findings: split_active, with the state of every group. */
  public static final String FINDINGS_GATEWAYS = "findings-gateways";

  /** Findings: keeps gauges of connections, and disconnects. */
  public static final String FINDINGS_CONNECTION_EVENTS = "findings-connection-events";

  /** Findings: conn_limit, with the state of every table. */
  public static final String FINDINGS_CONNECTION_TABLES = "findings-connection-tables";

  /** Findings: keeps the agents' counters. */
  public static final String FINDINGS_HEARTBEATS = "findings-heartbeats";

  /** Findings: agent_silent, with the state of every agent. */
  public static final String FINDINGS_AGENTS = "findings-agents";

  /** Findings: keeps sequence gaps. */
  public static final String FINDINGS_GAPS = "findings-gaps";

  /** Findings: sequence_gaps, with the state of every device that has some. */
  public static final String FINDINGS_SEQUENCE_GAPS = "findings-sequence-gaps";

  /** Findings: alert updates to Kafka. */
  public static final String FINDINGS_SINK = "findings-sink";

  /** All of them. */
  public static final Set<String> ALL =
      Set.of(
          ARCHIVE_EVENTS_SOURCE,
          ARCHIVE_CLICKHOUSE_SINK,
          ALERTS_EVENTS_SOURCE,
          ALERTS_UPDATE_SIGNALS,
          ALERTS_RULE_SIGNALS,
          ALERTS_RULES,
          ALERTS_DOCUMENTS_SOURCE,
          ALERTS_GATE,
          ALERTS_TRANSITIONS_SINK,
          ALERTS_HISTORY_SINK,
          PAGING_ALERTS_SOURCE,
          PAGING_RESEND,
          PAGING_ALERTMANAGER_SINK,
          REGISTRATIONS_EVENTS_SOURCE,
          REGISTRATIONS_DHCP_FILTER,
          REGISTRATIONS_DEVICES_SOURCE,
          REGISTRATIONS_RULES,
          REGISTRATIONS_TRANSITIONS_SINK,
          REGISTRATIONS_HISTORY_SINK,
          REGISTRATIONS_ANSWERS_ROWS,
          REGISTRATIONS_ANSWERS_SINK,
          REGISTRATIONS_RENEWALS_FILTER,
          REGISTRATIONS_RENEWALS_RULES,
          REGISTRATIONS_REFUSALS_FILTER,
          REGISTRATIONS_REFUSALS_RULES,
          REGISTRATIONS_LATENCIES_FILTER,
          REGISTRATIONS_LATENCIES_RULES,
          REGISTRATIONS_LINKS_FILTER,
          REGISTRATIONS_LINKS_RULES,
          REGISTRATIONS_PEERS_FILTER,
          REGISTRATIONS_PEERS_RULES,
          REGISTRATIONS_ADDRESSES_FILTER,
          REGISTRATIONS_ADDRESSES_RULES,
          REGISTRATIONS_CIRCUITS_FILTER,
          REGISTRATIONS_CIRCUITS_RULES,
          REGISTRATIONS_COMPLAINTS_FILTER,
          REGISTRATIONS_FINDINGS_SINK,
          WAN_EVENTS_SOURCE,
          WAN_EVENTS_FILTER,
          WAN_LINKS,
          WAN_REMOTE_SITES,
          WAN_EPISODES_SINK,
          WAN_ALERTS_SINK,
          WAN_TABLE_SINK,
          FINDINGS_EVENTS_SOURCE,
          FINDINGS_GATEWAY_CLAIMS,
          FINDINGS_GATEWAYS,
          FINDINGS_CONNECTION_EVENTS,
          FINDINGS_CONNECTION_TABLES,
          FINDINGS_HEARTBEATS,
          FINDINGS_AGENTS,
          FINDINGS_GAPS,
          FINDINGS_SEQUENCE_GAPS,
          FINDINGS_SINK);

  private OperatorUids() {}
}
