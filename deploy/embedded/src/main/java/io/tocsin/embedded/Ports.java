package io.tocsin.embedded;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Every port of one stack: the default of the contract plus an offset, so that stacks can stand
 * side by side.
 *
 * @param offset added to every default
 */
public record Ports(int offset) {

  /** Largest offset that keeps every port below 65,536. */
  public static final int MAX_OFFSET = 65_535 - 9_464;

  /** Refuses an offset that would leave the range of ports. */
  public Ports {
    if (offset < 0 || offset > MAX_OFFSET) {
      throw new IllegalArgumentException(
          "PORT_OFFSET is " + offset + ": give a whole number from 0 to " + MAX_OFFSET);
    }
  }

  /** Kafka's clients. */
  public int kafka() {
    return 9092 + offset;
  }

  /** Kafka's own consensus. */
  public int kafkaController() {
    return 9091 + offset;
  }

  /** ClickHouse over HTTP. */
  public int clickHouseHttp() {
    return 8123 + offset;
  }

  /** ClickHouse's native protocol. */
  public int clickHouseNative() {
    return 9000 + offset;
  }

  /** Flink's REST interface and pages. */
  public int flink() {
    return 8081 + offset;
  }

  /** Flink's metrics for Prometheus. */
  public int flinkMetrics() {
    return 9249 + offset;
  }

  /** Alertmanager's interface and page. */
  public int alertmanager() {
    return 9093 + offset;
  }

  /** Webhook that records pages. */
  public int pageRecorder() {
    return 9095 + offset;
  }

  /** Webhook that hears heartbeats, where one runs. */
  public int heartbeat() {
    return 9097 + offset;
  }

  /** Grafana, where it runs. */
  public int grafana() {
    return 3000 + offset;
  }

  /** The agent's metrics, health and table of senders. */
  public int agentTelemetry() {
    return 9464 + offset;
  }

  /** Syslog over UDP and TCP. */
  public int syslog() {
    return 5514 + offset;
  }

  /** Alert updates over UDP. */
  public int alertUpdates() {
    return 5515 + offset;
  }

  /** SNMP traps and informs over UDP. */
  public int snmp() {
    return 1162 + offset;
  }

  /** Copies of DHCP packets over UDP. */
  public int dhcp() {
    return 6767 + offset;
  }

  /**
   * Every port that a start needs, as "tcp/9092", with what for. {@code bin/preflight} checks the
   * same list.
   */
  public Map<String, String> byProtocol() {
    Map<String, String> ports = new LinkedHashMap<>();
    ports.put("tcp/" + kafka(), "Kafka");
    ports.put("tcp/" + kafkaController(), "Kafka's controller");
    ports.put("tcp/" + clickHouseHttp(), "ClickHouse's HTTP interface");
    ports.put("tcp/" + clickHouseNative(), "ClickHouse's native interface");
    ports.put("tcp/" + flink(), "Flink's page");
    ports.put("tcp/" + flinkMetrics(), "Flink's metrics");
    ports.put("tcp/" + alertmanager(), "Alertmanager");
    ports.put("tcp/" + pageRecorder(), "the page recorder");
    ports.put("tcp/" + agentTelemetry(), "the agent's metrics");
    ports.put("tcp/" + syslog(), "syslog over TCP");
    ports.put("udp/" + syslog(), "syslog over UDP");
    ports.put("udp/" + alertUpdates(), "alert updates");
    ports.put("udp/" + dhcp(), "copies of DHCP packets");
    ports.put("udp/" + snmp(), "SNMP traps");
    return ports;
  }
}
