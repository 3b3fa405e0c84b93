package io.tocsin.integration;

import static io.tocsin.integration.TestStacks.DEADLINE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Clients of a real ISC dhcpd and of a real Kea, seen on mirror ports and in the servers' logs: all
 * is quiet while renewals are answered, and told once one server's host drops its unicast replies.
 */
class DhcpLaboratoryTest {
  private static final String ISC = "10.78.0.1";
  private static final String KEA = "10.76.0.1";
  private static final String RELAY = "10.77.0.2";
  private static final int CLIENTS_OF_ISC = 8;
  private static final int RENEWALS = 20;

  /** Fewer clients, and those renew with the same transaction, which counts once in ten seconds. */
  private static final int RENEWALS_OF_KEA = 6;

  private static final int LOAD_SECONDS = 10;
  private static final int LEASES_OF_THE_LOAD = 100;

  /** The first bytes of the clients of perfdhcp. */
  private static final String MACS_OF_THE_LOAD = "00:0c:01";

  private static Laboratory lab;

  @BeforeAll
  static void start() throws Exception {
    lab =
        Laboratory.up(
            "dhcp",
            Map.of(
                "ip", "iproute2",
                "dhcpd", "isc-dhcp-server",
                "dhclient", "isc-dhcp-client",
                "dhcrelay", "isc-dhcp-relay",
                "kea-dhcp4", "kea-dhcp4-server",
                "perfdhcp", "kea-admin",
                "nft", "nftables",
                "logger", "bsdutils"));
    lab.stack().restartAgent(mirrorPorts());
    lab.run("serve", Integer.toString(lab.stack().ports().syslog()));
  }

  @AfterAll
  static void stop() throws Exception {
    if (lab != null) {
      lab.down();
    }
  }

  @Test
  void rebindsAreToldOnceUnicastRepliesAreDroppedAndNotBefore() throws Exception {
    Process load = lab.begin("load", Integer.toString(LOAD_SECONDS));
    awaitMoreThan(RENEWALS_OF_KEA, "count() " + transitions(KEA, "renewing"));
    awaitMoreThan(RENEWALS, "count() " + transitions(ISC, "renewing"));
    awaitMoreThan(
        LEASES_OF_THE_LOAD,
        "uniqExact(mac) FROM tocsin.registration_history WHERE state = 'bound' AND startsWith(mac, '%s')"
            .formatted(MACS_OF_THE_LOAD));
    Ended.of(load);
    assertThat(lab.number("uniqExact(mac) " + transitions(ISC, "renewing")))
        .isEqualTo(CLIENTS_OF_ISC);
    assertThat(lab.number("count() " + transitions(ISC, "rebinding"))).isZero();
    assertThat(lab.number("count() FROM tocsin.alert_history WHERE check = 'rebind-share'"))
        .isZero();
    assertThat(lab.number("count() FROM tocsin.alert_history WHERE check = 'discovers-unanswered'"))
        .as("questions of the load that count as unanswered")
        .isZero();

    lab.run("filter");
    await("the share of rebinds is told")
        .atMost(DEADLINE)
        .until(
            () ->
                lab.number(
                        "count() FROM tocsin.alerts WHERE check = 'rebind-share' AND state = 'open'")
                    == 1);

    JsonNode alert =
        lab.row(
            "severity, labels['server'], labels['scope'], labels['evidence'], labels['rebinds'], labels['share']"
                + " FROM tocsin.alerts WHERE check = 'rebind-share'");
    System.out.println("[dhcp] rebinds of a filtered server: " + alert);
    assertThat(alert.get(0).asText()).isEqualTo("major");
    assertThat(alert.get(1).asText()).as("server").isEqualTo(ISC);
    assertThat(alert.get(2).asText()).as("scope").isEqualTo(RELAY);
    assertThat(alert.get(3).asText())
        .as("what the server logged")
        .isEqualTo("send_packet: Operation not permitted");
    assertThat(alert.get(4).asInt()).as("rebinds").isGreaterThanOrEqualTo(10);
    // The servers' logs are faster than the captures, and do not tell a rebind from a renewal.
    awaitMoreThan(alert.get(4).asInt() - 1, "count() " + transitions(ISC, "rebinding"));
    assertThat(alert.get(5).asDouble()).as("share of rebinds").isBetween(0.05, 1.0);
    assertThat(lab.number("count() " + transitions(ISC, "expired")))
        .as("leases that ended")
        .isZero();
    assertThat(lab.number("count() " + transitions(KEA, "rebinding"))).isZero();
    assertThat(lab.number("sum(kernel_dropped + malformed) FROM tocsin.agent_stats")).isZero();
  }

  private static JsonNode mirrorPorts() {
    ObjectNode config = new ObjectMapper().createObjectNode();
    ArrayNode captures = config.putArray("captures");
    for (String server : new String[] {"isc", "kea"}) {
      captures
          .addObject()
          .put("name", "mirror-" + server)
          .put("interface", "tocsin-" + server + "0")
          .put("promiscuous", true);
    }
    return config;
  }

  private static String transitions(String server, String state) {
    return "FROM tocsin.registration_history WHERE server = '%s' AND state = '%s'"
        .formatted(server, state);
  }

  private static void awaitMoreThan(int least, String select) {
    await("more than " + least + ": " + select)
        .atMost(DEADLINE)
        .until(() -> lab.number(select) > least);
  }
}
