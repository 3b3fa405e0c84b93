package io.tocsin.embedded.command;

import io.tocsin.embedded.Ports;
import io.tocsin.embedded.Stack;
import io.tocsin.embedded.Tools;
import io.tocsin.embedded.clickhouse.ClickHouseClient;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;

/** What the demo shows at its end, read back from ClickHouse. Fits in 100 columns. */
final class DemoResult {

  private static final String EVENTS =
      """
      SELECT kind, sum(stored) AS rows, formatReadableSize(sum(bytes)) AS size
      FROM tocsin.stored_events_1m GROUP BY kind ORDER BY rows DESC""";
  private static final String OPEN_ALERTS =
      """
      SELECT device, check, toString(severity), formatDateTime(first_seen, '%H:%i:%S'), update_count, summary
      FROM tocsin.alerts WHERE state = 'open' ORDER BY severity DESC, device LIMIT 20""";
  private static final String PAGES =
      """
      SELECT formatDateTime(sent_at, '%H:%i:%S'), toString(status),
        arrayStringConcat(arrayMap((k, v) -> k || '=' || v, mapKeys(group_labels), mapValues(group_labels)), ' '), firing, resolved, summary
      FROM tocsin.pages ORDER BY sent_at LIMIT 20""";

  private static final String REGISTRATIONS =
      """
      SELECT mac, ip, toString(state), toString(access), hostname, circuit_id, server
      FROM tocsin.registrations ORDER BY mac LIMIT 10""";
  private static final String LINKS =
      """
      SELECT link_id, count(), countIf(lost), round(quantile(0.5)(rtt_ms), 1), round(max(rtt_ms), 1)
      FROM tocsin.link_probes GROUP BY link_id ORDER BY link_id LIMIT 10""";

  private static final String RESOLVERS =
      """
      SELECT device, resolver_group, count(), countIf(lost), countIf(disagreement != 'none'), round(quantile(0.5)(rtt_ms), 1), round(quantile(0.99)(rtt_ms), 1)
      FROM tocsin.dns_answers GROUP BY device, resolver_group ORDER BY resolver_group, device LIMIT 10""";
  private static final String DISKS =
      """
      SELECT device, instance, round(maxIf(value, name = 'disk_utilization')), round(maxIf(value, name = 'disk_queue'), 1), round(maxIf(value, name = 'disk_wait'), 1)
      FROM tocsin.gauges WHERE startsWith(name, 'disk_') GROUP BY device, instance ORDER BY device, instance LIMIT 10""";

  private final Stack stack;
  private final Tools tools;
  private final PrintStream out;

  DemoResult(Stack stack, Tools tools, PrintStream out) {
    this.stack = stack;
    this.tools = tools;
    this.out = out;
  }

  /** Prints everything. */
  void print() throws IOException, InterruptedException {
    ClickHouseClient clickHouse = stack.clickHouse();
    heading("Events stored, by kind");
    out.print(Table.text(List.of("kind", "rows", "bytes received"), clickHouse.rows(EVENTS)));
    heading("Balance sheet: everything that was sent, and where it is");
    out.flush();
    balance();
    heading("Open alerts");
    List<String> alertHeadings =
        List.of("device", "check", "severity", "since (UTC)", "updates", "summary");
    out.print(Table.text(alertHeadings, clickHouse.rows(OPEN_ALERTS)));
    heading("Pages sent");
    List<String> pageHeadings =
        List.of("sent (UTC)", "status", "group", "firing", "over", "summary");
    out.print(Table.text(pageHeadings, clickHouse.rows(PAGES)));
    heading("Devices on the network, by DHCP");
    List<String> registrationHeadings =
        List.of("mac", "ip", "state", "access", "name", "circuit", "server");
    out.print(Table.text(registrationHeadings, clickHouse.rows(REGISTRATIONS)));
    heading("WAN links");
    List<String> linkHeadings = List.of("link", "probes", "lost", "median ms", "highest ms");
    out.print(Table.text(linkHeadings, clickHouse.rows(LINKS)));
    heading("Resolvers that are asked the same");
    List<String> resolverHeadings =
        List.of("resolver", "group", "asked", "lost", "differs", "median ms", "p99 ms");
    out.print(Table.text(resolverHeadings, clickHouse.rows(RESOLVERS)));
    heading("Disks, at their worst");
    List<String> diskHeadings = List.of("device", "disk", "busy %", "queue", "wait ms");
    out.print(Table.text(diskHeadings, clickHouse.rows(DISKS)));
    heading("Look at it");
    addresses();
  }

  private void heading(String text) {
    out.printf("%n%s%n", text);
  }

  /** By the command that operators use, which writes to this process's own output. */
  private void balance() throws IOException, InterruptedException {
    new ProcessBuilder(tools.tocsin().toString(), "balance", "--clickhouse", stack.clickHouseUrl())
        .redirectOutput(ProcessBuilder.Redirect.INHERIT)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start()
        .waitFor();
  }

  private void addresses() {
    Ports ports = stack.ports();
    address("ClickHouse, SQL by hand", stack.clickHouseUrl() + "/play");
    address("Flink: jobs and checkpoints", "http://127.0.0.1:" + ports.flink());
    address("Alertmanager", "http://127.0.0.1:" + ports.alertmanager() + "  /api/v2/alerts");
    address(
        "agent: metrics, health, senders",
        "http://127.0.0.1:" + ports.agentTelemetry() + "/metrics  /health  /sources");
    address(
        "send it something",
        "syslog to port "
            + ports.syslog()
            + ", alert updates to UDP port "
            + ports.alertUpdates()
            + "; tocsin send --help has the rest");
    String offset = ports.offset() == 0 ? "" : " PORT_OFFSET=" + ports.offset();
    address(
        "Grafana, where it is installed",
        "make demo GRAFANA=1" + offset + ", then http://127.0.0.1:" + ports.grafana());
    address("logs", stack.state().logs().toString());
    out.flush();
  }

  private void address(String what, String where) {
    out.printf("  %-33s%s%n", what, where);
  }
}
