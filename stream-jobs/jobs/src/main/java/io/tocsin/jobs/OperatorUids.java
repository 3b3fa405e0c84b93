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

  /** Alerts: the rules, with the state of every fingerprint. */
  public static final String ALERTS_RULES = "alerts-rules";

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

  /** All of them. */
  public static final Set<String> ALL =
      Set.of(
          ARCHIVE_EVENTS_SOURCE,
          ARCHIVE_CLICKHOUSE_SINK,
          ALERTS_EVENTS_SOURCE,
          ALERTS_UPDATE_SIGNALS,
          ALERTS_RULES,
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
          REGISTRATIONS_HISTORY_SINK);

  private OperatorUids() {}
}
