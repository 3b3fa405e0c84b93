package io.tocsin.connectors.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.testsupport.ClickHouseUnderTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The saved questions about registrations, asked of a day's history in a real ClickHouse. */
class RegistrationQuestionsITCase {
  private static final Path QUESTIONS = Path.of("../../schemas/clickhouse/questions");

  private final ClickHouseUnderTest clickHouse = ClickHouseUnderTest.require();

  /** Makes MACs, addresses and circuits of this test its own. */
  private final String run = UUID.randomUUID().toString().substring(0, 8);

  private int version;

  /** A device of this test. The number stands before those of the run. */
  private String mac(String device) {
    int number = List.of("printer", "laptop", "camera").indexOf(device);
    return "02:%02x:".formatted(number) + String.join(":", run.split("(?<=\\G..)"));
  }

  @BeforeEach
  void aDay() throws IOException {
    for (String name : new String[] {"who_had_ip", "where_has_mac_been", "devices_on_circuit"}) {
      String statement = Files.readString(QUESTIONS.resolve(name + ".sql")).stripTrailing();
      clickHouse.query(statement.substring(0, statement.length() - 1));
    }
    told("printer", "14:00", "discovering", "", "port-1", "");
    told("printer", "14:00", "bound", "ip-1", "port-1", "15:00");
    told("printer", "14:30", "bound", "ip-1", "port-1", "15:30");
    told("printer", "15:30", "expired", "", "port-1", "");
    told("laptop", "15:40", "bound", "ip-1", "port-1", "18:00");
    told("laptop", "16:00", "released", "", "port-1", "");
    told("laptop", "16:10", "bound", "ip-2", "port-2", "18:00");
    told("camera", "16:20", "bound", "ip-3", "port-2", "17:00");
  }

  private void told(String device, String at, String state, String ip, String port, String lease) {
    version++;
    clickHouse.query(
        "INSERT INTO tocsin.registration_history"
            + " (mac, family, version, ip, state, access, relay, remote_id, circuit_id,"
            + " lease_expires_at, changed_at, cause) VALUES ('%s', 4, %d, '%s', '%s', 'allowed',"
                .formatted(mac(device), version, ip.isEmpty() ? "" : ip + "-" + run, state)
            + " '10.1.2.1', 'sw-b4', '%s-%s', %s, '2026-11-20 %s:00', 'ack')"
                .formatted(
                    port, run, lease.isEmpty() ? "NULL" : "'2026-11-20 " + lease + ":00'", at));
  }

  private String whoHad(String ip, String at) {
    return clickHouse.query(
        "SELECT mac FROM tocsin.ask_who_had_ip(ip = '%s-%s', at = '2026-11-20 %s:00')"
            .formatted(ip, run, at));
  }

  private String devicesOn(String port, String remote, String at) {
    return clickHouse.query(
        "SELECT mac, ip FROM tocsin.ask_devices_on_circuit(circuit = '%s-%s', remote = '%s',"
                .formatted(port, run, remote)
            + " at = '2026-11-20 %s:00')".formatted(at));
  }

  @Test
  void whoHadAnAddressDependsOnTheTime() {
    assertThat(whoHad("ip-1", "13:59")).isEmpty();
    assertThat(whoHad("ip-1", "14:05")).isEqualTo(mac("printer"));
    assertThat(whoHad("ip-1", "15:20")).isEqualTo(mac("printer"));
    assertThat(whoHad("ip-1", "15:35")).isEmpty();
    assertThat(whoHad("ip-1", "15:45")).isEqualTo(mac("laptop"));
    assertThat(whoHad("ip-1", "16:30")).isEmpty();
  }

  @Test
  void leaseThatRanOutWithoutAWordIsOver() {
    assertThat(whoHad("ip-3", "16:50")).isEqualTo(mac("camera"));
    assertThat(whoHad("ip-3", "17:10")).isEmpty();
  }

  @Test
  void whereADeviceHasBeenIsOneRowAStay() {
    assertThat(
            clickHouse.query(
                "SELECT formatDateTime(first_seen, '%%H:%%i', 'UTC'), circuit_id, ip, transitions"
                        .replace("%%", "%")
                    + " FROM tocsin.ask_where_has_mac_been(mac = '%s',".formatted(mac("laptop"))
                    + " since = '2026-11-20 00:00:00', until = '2026-11-21 00:00:00')"))
        .isEqualTo(
            "15:40\tport-1-%s\tip-1-%s\t1\n16:10\tport-2-%s\tip-2-%s\t1"
                .formatted(run, run, run, run));
  }

  @Test
  void renewalsBelongToTheSameStay() {
    assertThat(
            clickHouse.query(
                "SELECT count(), sum(transitions) FROM tocsin.ask_where_has_mac_been(mac ="
                    + " '%s',".formatted(mac("printer"))
                    + " since = '2026-11-20 00:00:00', until = '2026-11-21 00:00:00')"))
        .isEqualTo("1\t2");
  }

  @Test
  void devicesOnACircuitDependOnTheTimeAndTheSwitch() {
    assertThat(devicesOn("port-1", "", "14:10"))
        .isEqualTo("%s\tip-1-%s".formatted(mac("printer"), run));
    assertThat(devicesOn("port-2", "sw-b4", "16:30"))
        .isEqualTo("%s\tip-2-%s\n%s\tip-3-%s".formatted(mac("laptop"), run, mac("camera"), run));
    assertThat(devicesOn("port-2", "sw-b5", "16:30")).isEmpty();
    assertThat(devicesOn("port-1", "", "16:30")).isEmpty();
  }
}
