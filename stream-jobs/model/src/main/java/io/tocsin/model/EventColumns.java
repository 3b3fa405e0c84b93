package io.tocsin.model;

import java.util.List;

/**
 * The columns of the tables of events, in the order in which a row is written and read: the archive
 * stores rows, a replay makes events of them again, and both begin here. Types and reasons are in
 * schemas/clickhouse/events.
 */
public final class EventColumns {
  /**
   * Of every table: what the agent knew before it looked into the bytes, but for the event's id.
   */
  public static final List<String> ENVELOPE =
      List.of(
          "agent_id",
          "boot_id",
          "agent_sequence",
          "listener",
          "received_at",
          "event_time",
          "source_ip",
          "device",
          "site",
          "role");

  /** Of AlertUpdate. */
  public static final List<String> ALERT_UPDATES =
      List.of("action", "source", "check", "severity", "summary", "labels", "fingerprint_labels");

  /** Of Dhcp. */
  public static final List<String> DHCP =
      List.of(
          "message_type",
          "path",
          "request_kind",
          "mac",
          "client_id",
          "ip",
          "client_address",
          "hostname",
          "server",
          "relay",
          "circuit_id",
          "remote_id",
          "lease_seconds",
          "renewal_seconds",
          "rebinding_seconds",
          "is_broadcast",
          "transaction_id",
          "elapsed_seconds",
          "fingerprint",
          "vendor_class",
          "router",
          "prefix_length",
          "interface",
          "detail");

  /** Of DnsAnswer. */
  public static final List<String> DNS_ANSWERS =
      List.of(
          "resolver_group",
          "target",
          "query_name",
          "query_type",
          "rtt_ms",
          "lost",
          "loss_reason",
          "transport",
          "answer_code",
          "answer",
          "serial",
          "ttl_s",
          "authenticated",
          "disagreement",
          "expected",
          "interval_ms",
          "timeout_ms",
          "detail");

  /** Of Gauge. */
  public static final List<String> GAUGES =
      List.of("name", "instance", "value", "limit", "unit", "oid");

  /** Of InterfaceCounters. */
  public static final List<String> INTERFACE_COUNTERS =
      List.of(
          "interface",
          "if_index",
          "alias",
          "in_octets",
          "out_octets",
          "in_packets",
          "out_packets",
          "in_errors",
          "out_errors",
          "in_discards",
          "out_discards",
          "speed_bps",
          "oper_status",
          "admin_status",
          "in_bps",
          "out_bps",
          "in_load",
          "out_load",
          "in_errors_per_second",
          "out_discards_per_second",
          "interval_ms",
          "uptime_centiseconds");

  /** Of LinkProbe. */
  public static final List<String> LINK_PROBES =
      List.of(
          "link_id",
          "method",
          "target",
          "remote_site",
          "interface",
          "rtt_ms",
          "lost",
          "loss_reason",
          "sequence",
          "interval_ms",
          "timeout_ms",
          "query_name",
          "answer_code",
          "answer",
          "detail");

  /** Of SequenceGap. */
  public static final List<String> SEQUENCE_GAPS = List.of("last_before", "first_after", "missing");

  /** Of SnmpTrap. */
  public static final List<String> SNMP_TRAPS =
      List.of(
          "version",
          "trap_oid",
          "trap_name",
          "varbinds",
          "uptime_centiseconds",
          "user_or_community_hash",
          "engine_id",
          "security_level",
          "is_inform",
          "agent_address");

  /** Of Syslog. */
  public static final List<String> SYSLOG =
      List.of(
          "facility",
          "severity",
          "app_name",
          "proc_id",
          "msg_id",
          "structured_data",
          "message",
          "sequence");

  private EventColumns() {}
}
